"""The tables. Later versions add to them or relax them; what stands here is not replaced.

    scope ─< document >─ text >─ content ─< signature, code >─ scheme >─ canon
                                    └──< match, family_content >─ family

A document holds one text (none where it is binary), a text one content; many documents may hold one text and many
texts one content. Ids are private to one store: whatever leaves it is named by digest or path.

A row of `document` is one version of a document. It came with the run `seen` and went with the run `gone`; both count
only once these runs have finished. So a scan can write as it reads, be killed, and go on later, while everyone else
sees the store as the last finished run left it. Nobody asks `document` what is there, but the view `present`.
"""

from nearkin import model

APPLICATION_ID = 0x6E6B696E  # "nkin"
SCHEMA_VERSION = 5

CODE = """
CREATE TABLE code (              -- signatures that are a few numbers, to be looked up by value or by range
    scheme INTEGER NOT NULL REFERENCES scheme,
    number INTEGER NOT NULL,     -- a feature as a signed number
    content INTEGER NOT NULL REFERENCES content,
    PRIMARY KEY (scheme, number, content)
) WITHOUT ROWID;
"""

# The columns of matches, documents and families are those that nearkin.model declares. SQLite keeps them in the order
# in which a table got them: the names below are in that of the first versions, and later versions append theirs.
MATCH = (
    model.MATCH.create(
        "match",
        "scheme a b resemblance a_in_b b_in_a payload shared_bytes size_a size_b exact low high",
        constraints=["PRIMARY KEY (scheme, a, b)"],
        rowid=False,
    )
    + "CREATE INDEX match_b ON match (scheme, b);\n"
)

MATCH_COLUMN = """
CREATE TABLE match_column (      -- the same matches column by column, in the order of their key; none: read the rows
    scheme INTEGER NOT NULL REFERENCES scheme,
    name TEXT NOT NULL,
    numbers BLOB NOT NULL,       -- little-endian, of one width each (nearkin.model); NaN where the row has NULL
    UNIQUE (scheme, name)
);
"""

# Whoever changes a match takes the columns away: they never say anything else than the rows.
MATCH_TRIGGERS = {
    "match_added": """CREATE TRIGGER match_added AFTER INSERT ON match
        BEGIN DELETE FROM match_column WHERE scheme = NEW.scheme; END;""",
    "match_removed": """CREATE TRIGGER match_removed AFTER DELETE ON match
        BEGIN DELETE FROM match_column WHERE scheme = OLD.scheme; END;""",
    "match_changed": """CREATE TRIGGER match_changed AFTER UPDATE ON match
        BEGIN DELETE FROM match_column WHERE scheme IN (OLD.scheme, NEW.scheme); END;""",
}
IN_COLUMNS = "\n".join([MATCH_COLUMN, *MATCH_TRIGGERS.values()])

DOCUMENT = (
    model.DOCUMENT.create(
        "document",
        "scope path parent size mtime_ns inode owner custodian media encoding digest text reason detail seen gone"
        " before reader properties md5 sha1",
        keys=["id INTEGER PRIMARY KEY"],
    )
    + """
CREATE INDEX document_place ON document (scope, path);
CREATE INDEX document_text ON document (text);
-- Documents of given bytes are found through their text; only those without one need a way of their own.
CREATE INDEX document_digest ON document (digest) WHERE text IS NULL;
-- Few follow another or came in one; without these every deletion would look through all.
CREATE INDEX document_previous ON document (before) WHERE before IS NOT NULL;
CREATE INDEX document_container ON document (parent) WHERE parent IS NOT NULL;
"""
)

FAMILY = model.FAMILY.create(
    "family",
    "founder scheme view threshold containment kind links weakest_a weakest_b weakest mean_resemblance run since"
    " unlisted",
    keys=["id INTEGER PRIMARY KEY"],
)

FAMILY_CONTENT = (
    model.MEMBER.create(
        "family_content",
        "content role pivot to_pivot",
        keys=["family INTEGER NOT NULL REFERENCES family ON DELETE CASCADE"],
        constraints=["PRIMARY KEY (family, content)"],
        rowid=False,
    )
    + "CREATE INDEX family_content_content ON family_content (content);\n"
)

DECISIONS = """
CREATE TABLE verdict (           -- a person's decision
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- people and the audit name it by that: never used again
    about TEXT NOT NULL CHECK (about IN ('pair', 'family')),
    verdict TEXT NOT NULL CHECK (verdict IN ('same', 'version', 'not-similar', 'template', 'keep')),
    family BLOB,                 -- founder of the family it was about
    keep BLOB,                   -- bytes of the document to keep
    keep_scope TEXT,             -- and where it was then
    keep_path BLOB,
    by TEXT NOT NULL,
    note TEXT,
    at TEXT NOT NULL
);
CREATE TABLE verdict_bytes (     -- the documents it is about, by their bytes: so it outlives moves and normalisers
    verdict INTEGER NOT NULL REFERENCES verdict ON DELETE CASCADE,
    digest BLOB NOT NULL,
    PRIMARY KEY (verdict, digest)
) WITHOUT ROWID;
CREATE INDEX verdict_bytes_digest ON verdict_bytes (digest);

CREATE TABLE template (          -- boilerplate, to be left out of every comparison
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,        -- family, file, text or suggestion
    tolerance REAL,              -- share of a family's members that have each feature
    canon INTEGER NOT NULL REFERENCES canon,
    passages BLOB NOT NULL,      -- zstd, JSON list of canonical texts: any scheme can make its features from them
    by TEXT NOT NULL,
    note TEXT,
    at TEXT NOT NULL
);
CREATE TABLE template_features (
    template INTEGER NOT NULL REFERENCES template ON DELETE CASCADE,
    scheme INTEGER NOT NULL REFERENCES scheme,
    features BLOB NOT NULL,      -- little-endian u64, ascending; all of them, not a sample
    PRIMARY KEY (template, scheme)
) WITHOUT ROWID;

CREATE TABLE audit (             -- who did what; rows are only ever added
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    before TEXT,                 -- JSON
    after TEXT                   -- JSON
);
CREATE TRIGGER audit_stays BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
CREATE TRIGGER audit_is_true BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
"""

TEXT_STATE = """
-- Which texts are stale is asked by every scan, and the table is as large as all texts.
CREATE INDEX text_extractor ON text (extractor);
CREATE INDEX text_bare ON text (id) WHERE zstd IS NULL;
"""

SEGMENTS = """
CREATE TABLE counter (           -- ids that were given once are not given again, though their rows be forgotten
    name TEXT PRIMARY KEY,
    last INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE segment (           -- files of sorted features beside the store
    id INTEGER PRIMARY KEY,
    scheme INTEGER NOT NULL REFERENCES scheme,
    name TEXT NOT NULL UNIQUE,
    token BLOB NOT NULL,         -- also in the file: no other will do
    templates BLOB NOT NULL,     -- digest of the features left out; empty: none
    contents INTEGER NOT NULL,
    postings INTEGER NOT NULL,
    bytes INTEGER NOT NULL
);
CREATE TABLE delta (             -- contents that were signed and are in no segment yet
    scheme INTEGER NOT NULL REFERENCES scheme,
    content INTEGER NOT NULL REFERENCES content,
    PRIMARY KEY (scheme, content)
) WITHOUT ROWID;
"""

FAMILY_EVENT = """
CREATE TABLE family_event (      -- what became of families: merges and splits are not forgotten
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run,
    -- One by one: of a list of three and more SQLite makes a table for every row, two thirds of what storing took.
    what TEXT NOT NULL CHECK (what = 'founded' OR what = 'merged' OR what = 'split' OR what = 'ended'),
    family BLOB NOT NULL,        -- founder
    other BLOB,                  -- merged: the family it went into; split: the one it came from
    documents INTEGER NOT NULL
);
"""

RECORDS = {
    "document": model.DOCUMENT,
    "match": model.MATCH,
    "family": model.FAMILY,
    "family_content": model.MEMBER,
}
# By the version of the store that brings them. Stores of older versions do not tell of what these columns say.
ADDED = {
    version: "".join(record.added(table, version) for table, record in RECORDS.items())
    for version in range(2, SCHEMA_VERSION + 1)
}

TABLES = f"""
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL DEFAULT 'scan',  -- or: regroup (nothing was read), add (documents checked in since the last one)
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'interrupted')),
    started TEXT NOT NULL,
    ended TEXT,
    version TEXT NOT NULL,
    settings TEXT NOT NULL,      -- JSON, the whole tree
    counts TEXT,                 -- JSON
    timings TEXT                 -- JSON, seconds by stage
);

CREATE TABLE scope (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    root BLOB NOT NULL UNIQUE    -- absolute path, bytes
);

CREATE TABLE canon (             -- a way to make texts canonical
    id INTEGER PRIMARY KEY,
    spec TEXT NOT NULL UNIQUE
);

CREATE TABLE scheme (            -- a way to sign them
    id INTEGER PRIMARY KEY,
    spec TEXT NOT NULL,
    canon INTEGER NOT NULL REFERENCES canon,
    format INTEGER NOT NULL,
    UNIQUE (spec, canon, format)
);

CREATE TABLE content (           -- a distinct canonical text
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL,        -- SHA-256 of the canonical text
    canon INTEGER NOT NULL REFERENCES canon,
    length INTEGER NOT NULL,     -- bytes of canonical text
    UNIQUE (digest, canon)
);

CREATE TABLE text (              -- what an extractor makes of some bytes
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL,        -- of the bytes
    extractor TEXT NOT NULL,
    content INTEGER NOT NULL REFERENCES content,
    characters INTEGER NOT NULL,
    zstd BLOB,                   -- NULL where texts are not kept
    UNIQUE (digest, extractor, content)
);
CREATE INDEX text_content ON text (content);
{TEXT_STATE}
{DOCUMENT}
CREATE TABLE signature (
    scheme INTEGER NOT NULL REFERENCES scheme,
    content INTEGER NOT NULL REFERENCES content,
    modulus INTEGER NOT NULL,
    features BLOB NOT NULL,      -- little-endian u64, ascending
    weights BLOB,                -- little-endian u32; NULL where each weighs `modulus` shingles
    UNIQUE (scheme, content)
);

{MATCH}{IN_COLUMNS}
{FAMILY}{FAMILY_CONTENT}
{CODE}
{SEGMENTS}
{DECISIONS}
{FAMILY_EVENT}
{"".join(ADDED.values())}
"""

# Made for every connection. What a run read or lost counts when it has finished; for the run itself, at once.
VIEWS = """
CREATE TEMP VIEW finished AS SELECT id FROM run WHERE state = 'done' OR id = {run};
CREATE TEMP VIEW present AS SELECT * FROM document
    WHERE seen IN (SELECT id FROM finished) AND (gone IS NULL OR gone NOT IN (SELECT id FROM finished));
"""

# What makes a store of one version one of the next.
MIGRATIONS = {
    1: f"""
ALTER TABLE match RENAME TO match_before;
DROP INDEX match_b;
{MATCH}
INSERT INTO match SELECT * FROM match_before;
DROP TABLE match_before;
{CODE}
""",
    2: f"""
ALTER TABLE run ADD COLUMN kind TEXT NOT NULL DEFAULT 'scan';
ALTER TABLE document RENAME TO document_before;
DROP INDEX document_text;
DROP INDEX document_digest;
{DOCUMENT}
INSERT INTO document (id, scope, path, parent, size, mtime_ns, inode, owner, custodian, media, encoding, digest, text,
                      reason, detail, seen, gone)
    SELECT id, scope, path, parent, size, mtime_ns, inode, owner, custodian, media, encoding, digest, text,
           reason, detail,
           -- What an unfinished scan had changed was seen by everyone then, and stays so.
           CASE WHEN seen IN (SELECT id FROM run WHERE state = 'done') THEN seen
                ELSE coalesce((SELECT max(id) FROM run WHERE state = 'done'), seen) END,
           gone FROM document_before;
DROP TABLE document_before;
ALTER TABLE family ADD COLUMN since INTEGER REFERENCES run;
ALTER TABLE family ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;
{TEXT_STATE}{SEGMENTS}
INSERT INTO delta (scheme, content) SELECT scheme, content FROM signature;
{DECISIONS}
{FAMILY_EVENT}
{IN_COLUMNS}
""",
    # Matches that reach a threshold and were not measured are of texts that were not kept.
    3: f"""
{ADDED[4]}
UPDATE family SET weakest_exact = 0, mean_exact = 0 WHERE (scheme, threshold) IN
    (SELECT f.scheme, f.threshold FROM (SELECT DISTINCT scheme, threshold FROM family) f WHERE EXISTS
        (SELECT 1 FROM match m WHERE m.scheme = f.scheme AND NOT m.exact AND m.resemblance >= f.threshold));
""",
    4: ADDED[5],
}
