"""Readers of file formats. They run in workers with limits; nothing here opens a path or the network."""
