"""Reading: where documents are and what is in them."""
