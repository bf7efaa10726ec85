"""Whoever read the output has closed it: `| head` has all it wanted."""


class ReaderLeftError(Exception):
    pass
