"""Which nearkin this is, as it was compiled: asking the installed package takes twenty modules of Python's."""

from nearkin._native import VERSION as VERSION
