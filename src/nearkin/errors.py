"""Errors in one hierarchy; each has the exit code that the command line ends with.

    NearkinError                5   also any unforeseen error; never 1, which says that something similar exists
    ├── UsageError              2   unknown option, scheme, key; a value out of range
    │   └── SpecMismatchError   2   signatures of different specs cannot be compared
    ├── InputError              3   a path that is missing or cannot be read; a name that is not in the store
    ├── StoreError              4   the store is missing, foreign, newer or damaged
    │   └── BusyError           4   a scan is writing to it
    └── EngineError             5   the engine that runs the kernels failed

Messages are whole sentences that say what to do. Foreign errors are wrapped `from` their cause. Messages name options
as in a shell; in Python they are shown as arguments: `--floor 0.2` becomes `floor=0.2`.
"""

import re

# An option, but not within names of files; a command to type, which goes to the end, is left as it is.
OPTION = r"nearkin [a-z]+ .*|(?<![\w'\"/.-])--([a-z][a-z-]*+)(?!\w|[./]\w)( (?=\d))?"
PYTHON_NAMES = {"no_text": "keep_text=False", "family_only": "beyond=False"}


class NearkinError(Exception):
    """Anything that nearkin refuses or cannot do, in one sentence; the command line ends with `exit_code`."""

    exit_code = 5

    @property
    def sentence(self) -> str:
        """The message as the command line shows it."""
        return super().__str__()


class UsageError(NearkinError):
    """An unknown option, scheme or key, or a value out of range."""

    exit_code = 2

    def __str__(self) -> str:
        return re.sub(OPTION, _argument, self.sentence)


class SpecMismatchError(UsageError):
    """Signatures of different specs cannot be compared."""


class InputError(NearkinError):
    """A path that is missing or cannot be read, or a name that is not in the store."""

    exit_code = 3


class StoreError(NearkinError):
    """The store is missing, foreign, newer, damaged or in use."""

    exit_code = 4

    def __str__(self) -> str:
        """Return the message for Python, which opens a store by its path and has no --store."""
        message = re.sub(r"( and )name (it|that) with --store| with --store(?=\.)", _opened, self.sentence)
        return re.sub(OPTION, _argument, message)


class BusyError(StoreError):
    """A scan is writing to the store."""


class EngineError(NearkinError):
    """The engine that runs the kernels failed."""

    def __str__(self) -> str:
        return re.sub(OPTION, _argument, self.sentence)


def _opened(match: re.Match[str]) -> str:
    return f"{match[1]}open {match[2]}" if match[1] else ""


def _argument(match: re.Match[str]) -> str:
    """Return an option as the argument of a Python function."""
    if match[1] is None:
        return match[0]
    name = match[1].replace("-", "_")
    return PYTHON_NAMES.get(name, name) + ("=" if match[2] else "")
