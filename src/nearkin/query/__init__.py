"""Answers from a store: documents named, listed, ordered, compared; the same for screen, files and Python."""
