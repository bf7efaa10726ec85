"""Hypothesis without a stop-watch: how long an example takes depends on what else the machine does."""

import os

from hypothesis import settings

# What CI says of a commit does not depend on luck; everyone else's runs go on looking.
settings.register_profile("nearkin", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("nearkin")
