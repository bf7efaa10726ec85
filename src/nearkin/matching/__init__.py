"""Matching: candidates from shared features, scores, verification on the texts."""
