"""Grouping: families of matched contents."""
