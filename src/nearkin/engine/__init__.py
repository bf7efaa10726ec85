"""Engines run the kernels over many documents; what they compute does not depend on which one does it."""
