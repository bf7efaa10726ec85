"""Slow, obvious versions of the native kernels. They live here only: nothing shipped falls back to them."""
