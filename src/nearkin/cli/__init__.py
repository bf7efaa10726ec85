"""The command line: the only layer that prints, reads the environment and exits."""
