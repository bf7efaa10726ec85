"""Files for people: pages, workbooks, tables and load files, written from the answers of `query`."""
