"""What can go wrong, in one hierarchy; each error carries the exit code the command line ends with.

    NearkinError                5   as whatever nobody foresaw; never 1, which says that something similar exists
    ├── UsageError              2   unknown option, scheme, key; a value out of range
    │   └── SpecMismatchError   2   signatures of unlike specs were asked to meet
    ├── InputError              3   a path that is missing or cannot be read; a name that is not in the store
    ├── StoreError              4   the store is missing, foreign, newer or damaged
    │   └── BusyError           4   a scan is writing to it
    └── EngineError             5   the engine that runs the kernels failed

Messages are whole sentences that say what to do. Foreign errors are wrapped `from` their cause. Options are written as
in a shell, and Python reads them as its arguments: `--floor 0.2` is `floor=0.2`.
"""

import re

# Not within names of files, nor in a command to type, which goes to the end.
OPTION = r"nearkin [a-z]+ .*|(?<![\w'\"/.-])--([a-z][a-z-]*+)(?!\w|[./]\w)( (?=\d))?"
OTHERWISE = {"no_text": "keep_text=False", "family_only": "beyond=False"}


class NearkinError(Exception):
    """Whatever nearkin refuses or cannot do, in one sentence; `exit_code` is what the command line ends with."""

    exit_code = 5

    @property
    def sentence(self) -> str:
        """As the command line says it."""
        return super().__str__()


class UsageError(NearkinError):
    """An unknown option, scheme or key, or a value out of range."""

    exit_code = 2

    def __str__(self) -> str:
        return re.sub(OPTION, _argument, self.sentence)


class SpecMismatchError(UsageError):
    pass


class InputError(NearkinError):
    """A path that is missing or cannot be read, or a name of something that is not in the store."""

    exit_code = 3


class StoreError(NearkinError):
    """The store is missing, foreign, newer, damaged or in use."""

    exit_code = 4

    def __str__(self) -> str:
        """Python opens a store by its path; there is no option to name it with."""
        named = re.sub(r"( and )name (it|that) with --store| with --store(?=\.)", _opened, self.sentence)
        return re.sub(OPTION, _argument, named)


class BusyError(StoreError):
    pass


class EngineError(NearkinError):
    """The engine that runs the kernels failed."""

    def __str__(self) -> str:
        return re.sub(OPTION, _argument, self.sentence)


def _opened(found: re.Match[str]) -> str:
    return f"{found[1]}open {found[2]}" if found[1] else ""


def _argument(found: re.Match[str]) -> str:
    if found[1] is None:
        return found[0]
    name = found[1].replace("-", "_")
    return OTHERWISE.get(name, name) + ("=" if found[2] else "")
