"""The store: one SQLite file that remembers a repository. Nothing here computes; it keeps and gives back."""
