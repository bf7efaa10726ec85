"""`nearkin scan` for a nearkin that has no command line yet: `python -m bench.driver FOLDER STORE`."""

import sys
from pathlib import Path

from nearkin.pipeline import Scan
from nearkin.settings import Settings
from nearkin.store.database import connect


def scan(folder: Path, store: Path) -> None:
    connection = connect(store, create=True, write=True)
    Scan(connection, store, Settings(), "bench", lambda *_: None).run((folder,), scope_name=None)
    connection.close()


if __name__ == "__main__":
    scan(Path(sys.argv[1]), Path(sys.argv[2]))
