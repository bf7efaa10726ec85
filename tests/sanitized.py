"""Which tests a sanitizer cannot run: `make sanitize` loads this with `pytest -p sanitized`, and lists what is skipped.

starts a worker     a worker limits its memory (RLIMIT_AS), and a sanitizer needs terabytes of addresses
"""

import pytest

from nearkin.engine.workers import Worker

WHY = "starts a worker, whose limit on memory leaves a sanitizer no room"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In these a worker is waited for that is started on a thread or by a command: nothing can be skipped there."""
    for item in items:
        if item.path.name == "test_workers.py" or item.name == "test_ctrl_c_ends_at_once_while_a_worker_hangs":
            item.add_marker(pytest.mark.skip(reason=WHY))


@pytest.fixture(autouse=True)
def no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    def skipped(*_: object, **__: object) -> None:
        pytest.skip(WHY)

    monkeypatch.setattr(Worker, "__init__", skipped)
