"""What there is to be matched and grouped, and with how much memory and how many threads."""

import sqlite3
from dataclasses import dataclass

from nearkin.matching.template import LeftOut
from nearkin.matching.verify import Texts
from nearkin.scheme import Scheme
from nearkin.settings import MatchSettings
from nearkin.store.contents import Contents


@dataclass(frozen=True)
class Collected:
    connection: sqlite3.Connection
    scheme: Scheme
    scheme_id: int
    contents: Contents
    texts: Texts
    settings: MatchSettings
    left_out: LeftOut
    memory: int
    threads: int
