"""nearkin finds which documents are copies, versions, parts or containers of one another."""
