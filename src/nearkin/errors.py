"""What can go wrong, in one hierarchy; each error carries the exit code the command line ends with.

    NearkinError                1
    ├── UsageError              2   unknown option, scheme, key; a value out of range
    │   └── SpecMismatchError   2   signatures of unlike specs were asked to meet
    ├── InputError              3   a path that is missing or cannot be read
    ├── StoreError              4   the store is missing, foreign, newer, damaged or busy
    │   └── BusyError           4   another scan is writing to it
    └── EngineError             5   the engine that runs the kernels failed

Messages are whole sentences that say what to do. Foreign errors are wrapped `from` their cause.
"""


class NearkinError(Exception):
    exit_code = 1


class UsageError(NearkinError):
    exit_code = 2


class SpecMismatchError(UsageError):
    pass


class InputError(NearkinError):
    exit_code = 3


class StoreError(NearkinError):
    exit_code = 4


class BusyError(StoreError):
    pass


class EngineError(NearkinError):
    exit_code = 5
