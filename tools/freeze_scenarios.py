"""The scenarios of tools/freeze.py: which repositories are scanned how, and what is listed then."""

import fnmatch
import hashlib
import io
import json
import os
import re
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from freeze_contents import arrow_lines, report_lines, segment_lines, store_lines
from freeze_repository import change_repository

DEFAULT = "mod:window=20,sample=200,most=64"
# Schemes and what else their scans are given. Without a number of hot documents, fuzzy and si list every pair of the
# forms, half a million: they get a tenth of them.
FEW_FORMS = ("--exclude", "forms/0*")
SCHEMES: dict[str, tuple[str, ...]] = {
    "mod": (DEFAULT,),
    "mod-n": ("mod:window=20,n=25",),
    "exact": ("exact:window=20",),
    "min": ("min:window=20,n=100",),
    "min-mod": ("min:window=20,n=100,mod=4",),
    "sketch": ("sketch:window=20,n=100",),
    "bsw": ("bsw:window=20,n=25",),
    "chunk": ("chunk:mean=100",),
    "tttd": ("tttd:mean=100",),
    "fuzzy": ("fuzzy:classes=18,intervals=3,variants=3", "--threshold", "0.9", *FEW_FORMS),
    "si": ("si:method=3,stream=soundex,variation=B,k=40", *FEW_FORMS),
    "word": ("mod:window=5,unit=word,n=4",),
    "line": ("exact:window=1,unit=line",),
    "soundex": ("mod:window=6,unit=soundex,n=4",),
    "char": ("mod:window=20,unit=char,n=25",),
    "label": ("exact:window=20,label=yes",),
    "seed": ("mod:window=20,n=25,bits=40,seed=7",),
    "raw": (DEFAULT, "--raw"),
    "no-text": (DEFAULT, "--no-text"),
    "ignore": (DEFAULT, "--ignore", "case,punctuation,digits,accents"),
    "shared": (DEFAULT, "--min-shared-bytes", "400", "--containment", "0.6", "--floor", "0.3", "--hot", "0.01"),
}
SIMILARITY_METHODS = range(1, 15)

COMMANDS = (
    "scan,identical,matches,families,documents,check,compare,trace,report,keep,folders,lineage,custodians,sign,schemes,"
    "audit,demo,selftest"
)
HELP: dict[str, tuple[str, ...]] = dict.fromkeys(COMMANDS.split(","), ()) | {
    "verdict": ("set", "list", "clear"),
    "template": ("add", "list", "remove", "suggest"),
    "store": ("check", "compact", "drop", "forget", "info"),
}
REPORTS = ("xlsx", "html", "csv", "jsonl", "parquet", "dat")
REPORT_TABLES = ("documents", "matches", "families", "identical", "failed")

# What differs from run to run or between machines, in the listings as nearkin writes them. The repositories' own dates
# all lie before 2021.
VARYING = (
    (re.compile(rb"20(?:2[5-9]|[3-9]\d)-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:\+00:00|Z| UTC)?)?"), b"DATE"),
    (re.compile(rb'("seconds": )[\d.]+'), rb"\1SECONDS"),
    (re.compile(rb'("(?:owner|by)": )(?:"[^"]*"|null)'), rb"\1WHO"),  # who owns the files: the user of this machine
    (re.compile(rb'("version": )"[^"]*"'), rb"\1VERSION"),
    (re.compile(rb"(nearkin )\d+\.\d+\.\d+"), rb"\1VERSION"),
    (re.compile(rb'("(?:jobs|memory)": )\d+'), rb"\1LIMIT"),
)
# Of stores and reports, sizes that SQLite, zstd, XlsxWriter and Arrow decide.
SIZES = re.compile(rb'("(?:bytes|share|before|after)": )[\d.]+')


@dataclass(frozen=True)
class Form:
    """The quick form or the full one: how large the repositories are and which schemes are tried."""

    name: str
    sample: int
    made: int
    hot: tuple[str, ...]
    schemes: dict[str, tuple[str, ...]]  # of each repository
    all_listings: tuple[str, ...]  # repositories
    unread: tuple[
        str, ...
    ]  # what scans leave out but under the first scheme: to start workers takes half of their time


QUICK = Form(
    name="quick",
    sample=120,
    made=240,
    hot=("--hot", "60"),
    schemes={"sample": ("mod",), "made": ("mod", "exact", "sketch", "tttd", "fuzzy", "si")},
    all_listings=("made",),
    unread=("--exclude", "boxes", "--exclude", "mail", "--exclude", "odd"),
)
FULL = Form(
    name="full",
    sample=600,
    made=3000,
    hot=(),
    schemes=dict.fromkeys(("sample", "made"), tuple(SCHEMES)),
    all_listings=("sample", "made"),
    unread=(),
)


class Freezer:
    """Runs scenarios in an empty folder and keeps the digest of each listing."""

    def __init__(self, form: Form, jobs: int, only: str | None, keep: Path | None) -> None:
        self.form, self.jobs, self.only, self.keep = form, jobs, only, keep
        self.here = os.fsencode(Path.cwd())
        self.given = b""  # on standard input
        self.digests: dict[str, str] = {}

    def wants(self, scenario: str) -> bool:
        only = self.only
        return only is None or only.startswith(scenario) or scenario.startswith(only) or any(c in only for c in "*?[")

    def add(self, name: str, content: bytes) -> None:
        if self.only is not None and not (name.startswith(self.only) or fnmatch.fnmatch(name, self.only)):
            return
        assert name not in self.digests, name
        content = content.replace(self.here, b"/HERE")
        for pattern, instead in VARYING:
            content = pattern.sub(instead, content)
        self.digests[name] = hashlib.sha256(content).hexdigest()[:16]
        if self.keep:
            path = self.keep / self.form.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def call(self, *arguments: object) -> bytes:
        """What a command prints, its notes and its exit code."""
        from nearkin.cli.main import main

        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", newline="") for _ in range(2))
        stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(self.given), "utf-8")
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = main([str(argument) for argument in arguments])
        finally:
            sys.stdin = stdin
        printed = [_bytes_of(stream) for stream in (out, err)]
        return printed[0] + (b"\n--- notes\n" + printed[1] if printed[1] else b"") + b"\n--- exit %d\n" % code

    def list(self, name: str, *arguments: object) -> bytes:
        listed = self.call(*arguments)
        self.add(name, listed)
        return listed

    def scan(self, name: str, folder: str, store: str, *options: object) -> None:
        limits = ("--jobs", self.jobs, "--memory", "1G")
        self.list(f"{name}/scan", "scan", folder, "--store", store, *limits, *self.form.hot, *options)

    def store(self, name: str, store: str) -> None:
        self.add(f"{name}/store", store_lines(Path(store)))
        self.add(f"{name}/segments", segment_lines(Path(store)))


def _bytes_of(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


def _families_in(listed: bytes, most: int) -> list[str]:
    records = [json.loads(line) for line in listed.split(b"\n") if line.startswith(b"{")]
    return [record["id"] for record in records[:most]]


def _scheme_listings(freezer: Freezer, name: str, store: str, probes: tuple[str, ...]) -> None:
    """All that depends on how documents are signed and matched."""
    at = ("--store", store)
    freezer.list(f"{name}/matches", "matches", *at)
    freezer.list(f"{name}/matches-low", "matches", *at, "--min-resemblance", "0.4", "--limit", "3000")
    freezer.list(f"{name}/matches-contained", "matches", *at, "--min-containment", "0.7", "--all-copies")
    families = freezer.list(f"{name}/families-chain", "families", *at)
    freezer.list(f"{name}/families-chain-0.9", "families", *at, "--threshold", "0.9", "--spread", "0.95")
    for view in ("pivot", "clique", "greedy"):
        freezer.list(f"{name}/families-{view}", "families", *at, "--view", view)
        freezer.list(f"{name}/families-{view}-0.9", "families", *at, "--view", view, "--threshold", "0.9")
    greedy = ("--view", "greedy", "--representative", "popular")
    freezer.list(f"{name}/families-popular", "families", *at, *greedy)
    ids = _families_in(families, 4)[1:]  # the largest are the forms
    for n, family in enumerate(ids):
        freezer.list(f"{name}/lineage-{n}", "lineage", family, *at)
    freezer.list(f"{name}/keep", "keep", *ids, *at, "--near", "0.8", "--plan", f"{store}.plan.csv")
    if Path(f"{store}.plan.csv").exists():
        freezer.add(f"{name}/keep-plan", Path(f"{store}.plan.csv").read_bytes())
        Path(f"{store}.plan.csv").unlink()
    freezer.list(f"{name}/check", "check", *probes, *at)
    freezer.list(f"{name}/suggest", "template", "suggest", *at)
    freezer.list(f"{name}/sign", "sign", probes[0], "--scheme", SCHEMES[name.partition("/")[2]][0])
    freezer.list(f"{name}/sign-digest", "sign", "--digest", *at)
    freezer.list(f"{name}/compare", "compare", *probes[:2], "--scheme", SCHEMES[name.partition("/")[2]][0])
    freezer.store(name, store)


def _all_listings(freezer: Freezer, name: str, store: str, probes: tuple[str, ...]) -> None:
    """What is the same under every scheme, and every form on the screen and in reports."""
    at = ("--store", store)
    plain: dict[str, tuple[object, ...]] = {
        "documents": ("documents",),
        "documents-failed": ("documents", "--failed"),
        "documents-without-text": ("documents", "--without-text"),
        "documents-changes": ("documents", "--changes"),
        "identical": ("identical",),
        "folders": ("folders",),
        "folders-low": ("folders", "--min-share", "0.2", "--min-documents", "1"),
        "history": ("families", "--history"),
        "audit": ("audit",),
        "trace": ("trace", probes[0]),
        "trace-quick": ("trace", probes[0], "--quick", "--min-length", "40"),
        "custodians": ("custodians", Path(probes[0]).relative_to(Path(probes[0]).parts[0])),
        "check-all": ("check", *probes, "--all-copies", "--min-resemblance", "0.3", "--exit-code"),
        "check-limit": ("check", *probes, "--limit", "2", "--min-containment", "0.5"),
        "compare-html": ("compare", *probes[:2], "--html", "compared.html"),
        "matches-parted": ("matches", "--parted", "--limit", "100"),
        "verdicts": ("verdict", "list"),
        "templates": ("template", "list"),
        "store-check": ("store", "check"),
    }
    for listing, arguments in plain.items():
        freezer.list(f"{name}/{listing}", *arguments, *at)
    freezer.add(f"{name}/compared.html", Path("compared.html").read_bytes())
    freezer.add(f"{name}/store-info", SIZES.sub(rb"\1SIZE", freezer.call("store", "info", "--format", "json", *at)))
    for listing in ("documents", "identical", "matches", "families", "folders"):
        freezer.list(f"{name}/{listing}.json", listing, "--limit", "40", "--format", "json", *at)
        if listing != "documents":  # its column of owners is that of the report below
            freezer.list(f"{name}/{listing}.csv", listing, "--format", "csv", *at)
        freezer.list(f"{name}/{listing}.table", listing, "--format", "table", *at)
    screens = ("trace", "custodians", "check-all", "history", "documents-failed", "documents-changes")
    for listing in screens:
        freezer.list(f"{name}/{listing}.table", *plain[listing], *at, "--format", "table")
    freezer.list(f"{name}/compare.table", "compare", *probes[:2], *at, "--format", "table")
    freezer.list(f"{name}/keep.table", "keep", *at, "--format", "table")
    freezer.list(f"{name}/suggest.table", "template", "suggest", *at, "--format", "table")
    for ending in REPORTS:
        _report(freezer, name, store, f"report.{ending}")
    for table in REPORT_TABLES:
        for ending in ("csv", "jsonl", "parquet"):
            _report(freezer, name, store, f"{table}.{ending}", "--table", table)


def _report(freezer: Freezer, name: str, store: str, file: str, *options: str) -> None:
    written = freezer.call("report", file, "--store", store, *options)
    freezer.add(f"{name}/reports/{file}", SIZES.sub(rb"\1SIZE", written) + report_lines(Path(file)))
    Path(file).unlink(missing_ok=True)


def frozen_repository(freezer: Freezer, repository: str, probes: tuple[str, ...]) -> None:
    """Every scheme over one repository, and all listings under the first."""
    options = ("--exclude", "truth.json", "--custodian", "path:1", "--legacy-digests")
    for scheme in freezer.form.schemes[repository]:
        name, store = f"{repository}/{scheme}", f"{repository}-{scheme}.db"
        if not freezer.wants(name):
            continue
        spec, *more = SCHEMES[scheme]
        unread = () if scheme == "mod" else freezer.form.unread
        freezer.scan(name, repository, store, "--scheme", spec, *options, *more, *unread)
        _scheme_listings(freezer, name, store, probes[:3] if unread else probes)
        if scheme == "mod" and repository in freezer.form.all_listings:
            _all_listings(freezer, name, store, probes)


def frozen_tables(freezer: Freezer) -> None:
    """Rows of tables as documents."""
    if not freezer.wants("tables"):
        return
    freezer.scan("tables", "made/tables", "tables.db", "--text-column", "text", "--id-column", "id")
    for listing in ("documents", "identical", "matches", "families"):
        freezer.list(f"tables/{listing}", listing, "--store", "tables.db")
    freezer.list("tables/failed", "documents", "--failed", "--store", "tables.db")
    freezer.store("tables", "tables.db")


def frozen_changes(freezer: Freezer) -> None:
    """A store over time: scanned again after changes, decided on, regrouped, added to, forgotten, compacted."""
    if not freezer.wants("changes"):
        return
    at, by = ("--store", "changes.db"), ("--by", "freeze")
    freezer.scan("changes/first", "made", "changes.db", "--custodian", "path:1")
    families = _families_in(freezer.call("families", *at), 6)
    change_repository(Path("made"))
    options = ("--custodian", "path:1", "--hidden")

    def stage(name: str, *arguments: object) -> None:
        """One deed, and what is listed after it."""
        name = f"changes/{name}"
        freezer.list(f"{name}/deed", *arguments, *at)
        for listing in ("matches", "families", "identical"):
            freezer.list(f"{name}/{listing}", listing, *at)
        freezer.list(f"{name}/keep", "keep", *families[1:4], *at)
        freezer.store(name, "changes.db")

    limits = ("--jobs", freezer.jobs, "--memory", "1G", *freezer.form.hot)
    stage("again", "scan", "made", *limits, *options)
    freezer.list("changes/again/documents-changes", "documents", "--changes", *at)
    freezer.list("changes/again/history", "families", "--history", *at)
    pair = ("versions/000/draft-0.txt", "versions/000/draft-1.txt")
    stage("verdict-pair", "verdict", "set", *pair, "not-similar", *by, "--note", "told apart")
    stage("verdict-family", "verdict", "set", families[2], "template", *by)
    freezer.list("changes/verdicts", "verdict", "list", *at)
    freezer.list("changes/verdicts.table", "verdict", "list", *at, "--format", "table")
    # The first suggestion is the form, the second the letterhead.
    stage("template", "template", "add", "--suggestion", "2", "--name", "head", *by)
    (largest,) = _families_in(freezer.call("families", *at), 1)
    stage("template-family", "template", "add", "--family", largest, "--tolerance", "0.9", "--name", "form", *by)
    freezer.list("changes/templates", "template", "list", *at)
    freezer.list("changes/templates.table", "template", "list", *at, "--format", "table")
    late = Path("made/added/3.txt").read_bytes() + b"And some words more than there were.\n"
    Path("made/late.txt").write_bytes(late)
    os.utime("made/late.txt", (1_500_000_000, 1_500_000_000))
    stage("add", "check", "made/late.txt", "made/boxes/0.tar", "made/added/form.txt", "--add", *by)
    freezer.given = late + late[:900]
    stage("add-given", "check", "-", "--add", "--name", "notes/draft.txt", *by)
    freezer.list("changes/add-given/check", "check", "-", *at)
    stage("again-full", "scan", "made", *limits, *options, "--full")
    stage("template-removed", "template", "remove", "head", *by)
    for folder in ("versions", "letters", "parts"):
        shutil.copytree(Path("made", folder), Path("others", folder))  # with their dates
    stage("second-scope", "scan", "others", *limits)
    freezer.list("changes/between", "matches", "--between", "made", "others", *at)
    freezer.list("changes/between-new", "matches", "--between", "others", "made", "--new", *at)
    freezer.list("changes/between.table", "matches", "--between", "made", "others", *at, "--format", "table")
    stage("forget", "store", "forget", "made:short/001.txt", "--yes", *by)
    stage("other-scheme", "scan", "others", *limits, "--scheme", "tttd:mean=100")
    stage("drop", "store", "drop", "others", *by)
    freezer.add("changes/compact/deed", SIZES.sub(rb"\1SIZE", freezer.call("store", "compact", *by, *at)))
    freezer.store("changes/compact", "changes.db")
    freezer.list("changes/keep-plan", "keep", "--plan", "plan.json", "--prefer", "folder:anna", "--near", "0.95", *at)
    freezer.add("changes/plan.json", Path("plan.json").read_bytes())
    freezer.list("changes/keep-apply", "keep", "--apply", "plan.json", "--action", "quarantine", *by, *at)
    journal = sorted(path for path in Path().glob("plan*") if path.name != "plan.json" and path.is_file())
    freezer.list("changes/keep-undo", "keep", "--undo", *journal[:1], *by, *at)
    freezer.list("changes/audit", "audit", *at)


def frozen_words(freezer: Freezer) -> None:
    """Help, schemes and what needs no store."""
    if not freezer.wants("words"):
        return
    freezer.list("words/help", "--help")
    for command, inner in HELP.items():
        freezer.list(f"words/help-{command}", command, "--help")
        for name in inner:
            freezer.list(f"words/help-{command}-{name}", command, name, "--help")
    for form in ("json", "jsonl", "csv", "table"):
        freezer.list(f"words/schemes.{form}", "schemes", "--format", form)
        freezer.list(f"words/plan.{form}", "schemes", "--plan", "--bytes", "50K", "--format", form)
    freezer.list("words/learn", "schemes", "--learn", "made/versions")
    for method in SIMILARITY_METHODS:
        text = "made/versions/000/draft-0.txt"
        freezer.list(f"words/si-{method}", "sign", text, "--scheme", f"si:method={method}")
    wrong: dict[str, tuple[str, ...]] = {
        "command": ("scna",),
        "option": ("scan", "made", "--thresold", "1"),
        "scheme": ("scan", "made", "--scheme", "nod"),
        "key": ("scan", "made", "--scheme", "mod:windows=3"),
        "value": ("scan", "made", "--threshold", "1.5"),
        "path": ("scan", "nowhere"),
        "store": ("matches", "--store", "nowhere.db"),
        "foreign": ("matches", "--store", "made/short/001.txt"),
    }
    for name, arguments in wrong.items():
        freezer.list(f"words/wrong-{name}", *arguments)


def frozen_python(freezer: Freezer) -> None:
    """The same questions asked from Python."""
    if not freezer.wants("python"):
        return
    import nearkin

    files = sorted(Path("made/copies").rglob("*.txt")) + sorted(Path("made/parts").glob("*"))
    texts: dict[str, str | bytes] = {path.as_posix(): path.read_bytes() for path in files[:150]}
    texts["plain"] = "A text that is given as text, and not as bytes. " * 9
    a, b = list(texts)[:2]
    for scheme in ("mod", "exact", "min", "sketch", "bsw", "chunk", "tttd", "fuzzy", "word"):
        spec = SCHEMES[scheme][0]
        pairs = nearkin.match(texts, scheme=spec, threshold=0.6, jobs=freezer.jobs)
        freezer.add(f"python/match-{scheme}", arrow_lines(pairs))
        for view in ("chain", "pivot", "clique"):
            told = nearkin.families(pairs, view=view, threshold=0.7)
            freezer.add(f"python/families-{scheme}-{view}", arrow_lines(told))
        signature = nearkin.sign(texts[a], spec)
        signed = [signature.features.tolist(), signature.weights.tolist(), str(signature.scheme)]
        measured = [nearkin.resemblance(texts[a], texts[name], spec) for name in list(texts)[:20]]
        freezer.add(f"python/sign-{scheme}", json.dumps([signed, measured]).encode())
    contained = [nearkin.containment(texts[name], texts[b]) for name in list(texts)[-40:]]
    freezer.add("python/containment", json.dumps(contained).encode())
    freezer.add("python/compare", repr(nearkin.compare(texts[a], texts[b])).encode())
    freezer.add("python/names", json.dumps(sorted(nearkin.__all__)).encode())
    with nearkin.Store.open("python.db") as store:
        summary = store.scan("sample", exclude=["truth.json"], custodian="path:1", jobs=freezer.jobs, memory=1 << 30)
        freezer.add("python/store/scan", re.sub(r"seconds=[\d.]+", "seconds", repr(summary)).encode())
        family = store.families().column("id")[0].as_py()
        path = store.documents().column("path")[0].as_py()
        tables = {
            "documents": store.documents,
            "failed": lambda: store.documents(failed=True),
            "identical": store.identical,
            "matches": lambda: store.matches(min_resemblance=0.8),
            "families": lambda: store.families(view="greedy"),
            "history": store.family_history,
            "check": lambda: store.check(Path("sample", path).read_bytes()),
            "trace": lambda: store.trace(Path("sample", path).read_bytes()),
            "lineage": lambda: store.lineage(family),
            "custodians": lambda: store.custodians(path),
            "folders": store.folders,
            "keep": store.keep,
            "suggest": store.suggest_templates,
            "templates": store.templates,
            "verdicts": store.verdicts,
            "audit": store.audit,
        }
        for name, table in tables.items():
            freezer.add(f"python/store/{name}", arrow_lines(table()))
    freezer.store("python/store", "python.db")
