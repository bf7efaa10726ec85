"""Text: what bytes say, and the canonical form in which documents are compared."""
