"""`python -m bench.scale`: how time, memory and disk grow with the number of documents, and how others do."""
