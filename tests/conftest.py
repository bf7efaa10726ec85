"""Hypothesis without a stop-watch: how long an example takes depends on what else the machine does."""

import os

import pytest
from hypothesis import settings

# What CI says of a commit does not depend on luck; everyone else's runs go on looking.
settings.register_profile("nearkin", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("nearkin")

LONGEST = ("test_every_example_works", "test_no_listing_has_changed", "test_many_contents_that_share_a_template")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first: begun last, they would keep one process busy while the other has nothing left to do."""
    items.sort(key=lambda item: not any(name in item.name for name in LONGEST))
