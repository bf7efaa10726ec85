"""The SQLite file itself: made, opened, refused, locked; and its log, brought into the store during a scan.

Left alone SQLite brings the log in when the scan ends, and everyone waits: of 53,596 pages 146 MB, with 0.2 s of
writing and then the disk, and 0.05 s until the log is removed. Here it is done beside the matching. Readers and writers
are not held up, and killed at any moment the log still has what the store lacks.

A store lies on a local file system: SQLite's log needs memory that all readers share, which network shares have not.
"""

import errno
import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from nearkin.errors import BusyError, StoreError
from nearkin.read.walk import BESIDE
from nearkin.store.bulk import open_connection
from nearkin.store.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION, TABLES, VIEWS

MOUNTS = Path("/proc/self/mounts")
NETWORK = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "davfs", "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "glusterfs", "gpfs"}
    | {"lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs", "vboxsf"}
)


@dataclass(frozen=True)
class Mount:
    kind: str
    point: Path

    @property
    def network(self) -> bool:
        return is_network(self.kind)


def file_system(folder: Path, mounts: Path | None = None) -> str | None:
    """Its kind, as the system names it; None where it does not say."""
    mount = mount_of(folder, mounts)
    return mount.kind if mount else None


def mount_of(folder: Path, mounts: Path | None = None) -> Mount | None:
    try:
        lines = (mounts or MOUNTS).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    here = f"{folder.resolve()}/"
    kind, best = "", ""
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        where = f"{_plain(fields[1]).rstrip('/')}/"
        # The deepest mount; of two on one place the later hides the earlier. As strings: every command opens a store.
        if here.startswith(where) and len(where) >= len(best):
            kind, best = fields[2], where
    return Mount(kind, Path(best)) if best else None


def is_network(kind: str | None) -> bool:
    return kind in NETWORK


def _plain(name: str) -> str:
    """Blanks and the like are written as octal numbers there."""
    for code in ("040", "011", "012", "134"):
        name = name.replace(f"\\{code}", chr(int(code, 8)))
    return name


MOMENT = 0.05  # seconds for whoever only asks whether a scan runs
PATIENCE = 30.0  # seconds to wait for another who makes or migrates the store
SHORT_PATIENCE = 5.0  # the same for whoever can do without; a scan's transactions take three
PAGE = 16384  # bytes: of 53,596 pages a sixth less is spent on writing than with 8,192
LEAST_PAGES, MOST_PAGES = 32 << 20, 128 << 20  # bytes
ENDS = ("", *map(os.fsdecode, BESIDE))  # the store and what stands beside it


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """SQLite's complaints as sentences that say what to do, and what befell the store's own files. Whoever is called
    meanwhile, to be told how far a scan is, fails for reasons of his own."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOLCK and not _is_own(path, error.filename):
            raise
        if error.errno == errno.ENOSPC:
            raise StoreError(_sentence(path, "full")) from error
        raise StoreError(f"The store {path} cannot be used: {(error.strerror or str(error)).lower()}.") from error
    except sqlite3.Error as error:
        raise StoreError(_sentence(path, str(error))) from error


def _is_own(path: Path, file: object) -> bool:
    """Whether it is the store or stands beside it."""
    if not isinstance(file, str | bytes | os.PathLike):
        return False
    return str(Path(os.fsdecode(file)).absolute()).startswith(str(path.absolute()))


def _sentence(path: Path, complaint: str) -> str:
    if "full" in complaint:
        return f"There is no room left for the store {path}; free some and run the same command again."
    if "readonly" in complaint or "unable to open" in complaint:
        # SQLite's log needs a file beside the store, whoever reads it.
        return (
            f"The store {path} cannot be written: it and its folder must be writable, also to read it; check their"
            " permissions, or copy it to a folder of yours and name that with --store."
        )
    if "locked" in complaint or "busy" in complaint:
        return f"The store {path} is in use by another process; try again when it has finished."
    if "malformed" in complaint or "not a database" in complaint or "no such" in complaint:
        return f"{path} is damaged or not a nearkin store; choose another file with --store."
    if "I/O" in complaint:
        return (
            f"The store {path} cannot be read or written: its disk is full or failed. Free some room there, which"
            " reading needs too, and run the same command again."
        )
    return f"The store {path} failed: {complaint}."


def connect(
    path: Path, *, create: bool = False, write: bool = False, own_thread: bool = True, logged: bool = True
) -> sqlite3.Connection:
    """Open a store, making it where it is missing and `create` allows. An older one is brought up to date. Whoever lets
    go of `own_thread` sees to it that no two threads use it at once. Not `logged`: whoever makes it writes without
    SQLite's log (decision 031), until he or anybody else calls `log_ahead`, as all do who open a store that is
    being made."""
    if not path.exists():
        if not create:
            raise StoreError(f"There is no store at {path}; make one with: nearkin scan FOLDER --store {path}")
        refuse_no_folder(path)
    elif not path.is_file():
        raise StoreError(f"{path} is not a file; choose another store with --store.")
    _refuse_network(path)
    with explained(path):
        fresh = not path.exists() or path.stat().st_size == 0
        if fresh and not create:
            raise StoreError(f"{path} is not a nearkin store; choose another file with --store.")
        if fresh:
            # Texts of private documents are in here: nobody else may read it, whatever the umask says.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            path.chmod(0o600)
        connection = open_connection(path, timeout=PATIENCE, isolation_level=None, check_same_thread=own_thread)
        try:
            _prepare(connection, path, fresh=fresh, write=write, logged=logged)
        except BaseException as error:
            connection.close()
            if isinstance(error, UnicodeDecodeError):  # SQLite tells which statement it cannot make sense of
                raise StoreError(_sentence(path, "malformed")) from error
            raise
    return connection


def refuse_no_folder(path: Path) -> None:
    """A store is made, its folder never: it would be one that somebody has mistyped."""
    if not path.parent.is_dir():
        raise StoreError(f"There is no folder {path.parent} to put the store in.")


def in_memory() -> sqlite3.Connection:
    """A store that nobody else sees and that leaves nothing behind."""
    connection = open_connection(":memory:", isolation_level=None)
    connection.execute(f"PRAGMA page_size = {PAGE}")
    _run(connection, TABLES)
    see(connection)
    return connection


def _refuse_network(path: Path) -> None:
    mount = mount_of(path.parent)
    if mount is not None and mount.network:
        raise StoreError(
            f"{path} lies on a network share ({mount.kind} at {mount.point}), where SQLite cannot keep it whole;"
            " keep it on a local disk and name it with --store."
        )


def _prepare(connection: sqlite3.Connection, path: Path, *, fresh: bool, write: bool, logged: bool) -> None:
    if fresh:
        connection.execute(f"PRAGMA page_size = {PAGE}")
        _create(connection)
    else:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION_ID:
            raise StoreError(f"{path} is a database, but not a nearkin store; choose another file with --store.")
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"The store {path} was written by a newer nearkin (schema {version}, this one knows {SCHEMA_VERSION}); "
                "upgrade nearkin or choose another file with --store."
            )
        _refuse_truncated(connection, path)
        if version < SCHEMA_VERSION:
            _bring_up_to_date(connection, path)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    see(connection)
    if not (fresh or write) and not _is_logged(connection) and is_scanning(path):
        with suppress(StoreError, sqlite3.OperationalError):  # who cannot write reads all the same
            log_ahead(connection, path, patience=SHORT_PATIENCE)
    if fresh or write:
        if logged or not fresh:
            log_ahead(connection, path)
        # Room for the indexes of a million digests, which are met in no order, and a log of 256 MB: a page that many
        # transactions change is written back once.
        hold_pages(connection, MOST_PAGES)
        (size,) = connection.execute("PRAGMA page_size").fetchone()  # older stores have smaller ones
        connection.execute(f"PRAGMA wal_autocheckpoint = {(256 << 20) // size}")


def hold_pages(connection: sqlite3.Connection, room: int) -> None:
    """In memory, in so many bytes at most, and no more than a quarter of the store, as much as its indexes are: pages
    of texts are not met again, and fresh memory for them costs as much as writing them."""
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    held = min(room, MOST_PAGES, max(LEAST_PAGES, pages * size // 4))
    connection.execute(f"PRAGMA cache_size = -{held >> 10}")


def _refuse_truncated(connection: sqlite3.Connection, path: Path) -> None:
    """Half a file may answer some questions and not others: better none. Pages may still be in the log alone."""
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        return
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    if path.stat().st_size < pages * size and not (log.exists() and log.stat().st_size):
        raise StoreError(f"{path} is damaged: its end is missing; scan again into another --store.")


def log_ahead(connection: sqlite3.Connection, path: Path, *, patience: float = PATIENCE) -> None:
    """Into SQLite's log from now on: others can read and write meanwhile. A scan that is making this store comes to its
    end with a transaction before."""
    if not _is_logged(connection):
        with turn(path):
            _turn_on(connection, patience)
    connection.execute("PRAGMA synchronous = NORMAL")


def _is_logged(connection: sqlite3.Connection) -> bool:
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    return bool(mode == "wal")


def _turn_on(connection: sqlite3.Connection, patience: float) -> None:
    """Waits, so many seconds, where SQLite does not."""
    give_up = time.monotonic() + patience
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if time.monotonic() >= give_up or "locked" not in str(error):
                raise
            time.sleep(0.01)
        else:
            if mode != "wal":
                raise StoreError("The store cannot be here: SQLite's log does not work on this file system.")
            return


def _create(connection: sqlite3.Connection) -> None:
    """One transaction before anything else is written: killed or raced, the file is empty or a store."""
    connection.execute("BEGIN EXCLUSIVE")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application == APPLICATION_ID:  # another process was a moment faster
        connection.execute("ROLLBACK")
        return
    _run(connection, TABLES)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("COMMIT")


def _bring_up_to_date(connection: sqlite3.Connection, path: Path) -> None:
    """Whoever opens it first: the queries know one schema only. Not while an older nearkin is writing to it."""
    try:
        with one_scan(path, wait=PATIENCE):
            _migrate(connection)
    except (OSError, sqlite3.OperationalError) as error:
        if isinstance(error, sqlite3.OperationalError) and "readonly" not in str(error):
            raise
        raise StoreError(
            f"The store {path} was written by an older nearkin and must be brought up to date, but cannot be written;"
            " make it and its folder writable, or copy it to a folder of yours and name that with --store."
        ) from error


def _migrate(connection: sqlite3.Connection) -> None:
    """One transaction: an older nearkin finds the store as it was, or refuses it as newer."""
    with transaction(connection):
        (version,) = connection.execute("PRAGMA user_version").fetchone()  # another process may have been faster
        for old in range(version, SCHEMA_VERSION):
            _run(connection, MIGRATIONS[old])
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _run(connection: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";\n"):
        connection.execute(statement)


def see(connection: sqlite3.Connection, run: int | None = None) -> None:
    """The documents that finished runs left, and what this run, if any, has done to them so far."""
    for view in ("present", "finished"):
        connection.execute(f"DROP VIEW IF EXISTS temp.{view}")
    _run(connection, VIEWS.format(run="NULL" if run is None else run))


@contextmanager
def trusted(connection: sqlite3.Connection) -> Iterator[None]:
    """A scan makes every key it writes in the same transaction; checking them again took a sixth of its time. Tests run
    foreign_key_check over what it leaves."""
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


@contextmanager
def turn(path: Path) -> Iterator[None]:
    """For whoever writes beside a scan: the next transaction is his. SQLite alone would let a busy scan go first, again
    and again, until he gives up."""
    if not path.exists():  # SQLite would go on in a file that nobody can find any more
        raise StoreError(f"The store {path} has vanished: its file or folder was removed or renamed meanwhile.")
    with explained(path):
        file = os.open(path.with_name(path.name + ".turn"), os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def own_files(path: Path) -> frozenset[bytes]:
    """The store and what stands beside it: no scan may take them for documents."""
    return frozenset(os.fsencode(f"{path.resolve()}{end}") for end in ENDS)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def at_one_moment(connection: sqlite3.Connection) -> Iterator[None]:
    """Several questions, whatever others store meanwhile; in the caller's transaction, where there is one."""
    begun = not connection.in_transaction
    if begun:
        connection.execute("BEGIN")
    try:
        yield
    finally:
        if begun:
            connection.execute("COMMIT")


@contextmanager
def one_scan(path: Path, *, wait: float = 0.0) -> Iterator[None]:
    """Two scans would each undo what the other found; the second is told so, at once or after so many seconds. Readers
    are not held up."""
    file = os.open(path.with_name(path.name + ".lock"), os.O_CREAT | os.O_RDWR, 0o600)
    try:
        give_up = time.monotonic() + max(wait, MOMENT)
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() >= give_up:
                    raise BusyError(
                        f"Another scan is writing to {path}; wait for it or use another --store."
                    ) from error
                time.sleep(0.01)
        yield
    finally:
        os.close(file)


def is_scanning(path: Path) -> bool:
    """Whether a scan, or who must not run beside one, has the store."""
    try:
        file = os.open(path.with_name(path.name + ".lock"), os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


LEAST = 16 << 20  # bytes; less is brought in as quickly as a thread starts and the store is opened


@contextmanager
def brought_in(store: Path) -> Iterator[None]:
    """What is in the log now, until this ends."""
    log = store.with_name(store.name + "-wal")
    if not log.exists() or log.stat().st_size < LEAST:
        yield
        return
    thread = Thread(target=_bring_in, args=(store,), name="nearkin log")
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _bring_in(store: Path) -> None:
    """Where it cannot be done, it stays in the log: that is as good a place."""
    with suppress(StoreError, OSError, sqlite3.Error), closing(connect(store)) as connection:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # of what is all in by now; not where someone is at work
