"""The command line: the only layer that prints, reads the environment and exits."""


class ReaderLeftError(Exception):
    """The reader of the output has closed it: `| head` has all it wanted."""
