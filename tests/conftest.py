"""Hypothesis without a stop-watch: how long an example takes depends on what else the machine does."""

from hypothesis import settings

settings.register_profile("nearkin", deadline=None)
settings.load_profile("nearkin")
