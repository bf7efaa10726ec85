CREATE TABLE run (
    id INTEGER PRIMARY KEY,
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

CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL REFERENCES scope,
    path BLOB NOT NULL,          -- relative to the scope's root, forward slashes
    parent INTEGER REFERENCES document,  -- the container or mail it came in
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    owner TEXT,
    custodian TEXT,
    media TEXT NOT NULL,
    encoding TEXT,
    digest BLOB,                 -- SHA-256 of the bytes; NULL where they could not be read
    text INTEGER REFERENCES text,
    reason TEXT,                 -- why it failed; NULL for every document
    detail TEXT,
    seen INTEGER NOT NULL REFERENCES run,
    gone INTEGER REFERENCES run, -- the run that no longer found it
    UNIQUE (scope, path)
);
CREATE INDEX document_text ON document (text);
-- Documents of given bytes are found through their text; only those without one need a way of their own.
CREATE INDEX document_digest ON document (digest) WHERE text IS NULL;

CREATE TABLE signature (
    scheme INTEGER NOT NULL REFERENCES scheme,
    content INTEGER NOT NULL REFERENCES content,
    modulus INTEGER NOT NULL,
    features BLOB NOT NULL,      -- little-endian u64, ascending
    weights BLOB,                -- little-endian u32; NULL where each weighs `modulus` shingles
    UNIQUE (scheme, content)
);

CREATE TABLE match (             -- of the last finished run under this scheme
    scheme INTEGER NOT NULL REFERENCES scheme,
    a INTEGER NOT NULL REFERENCES content,
    b INTEGER NOT NULL REFERENCES content,
    resemblance REAL NOT NULL,
    a_in_b REAL NOT NULL,
    b_in_a REAL NOT NULL,
    payload REAL,
    shared_bytes INTEGER NOT NULL,
    size_a INTEGER NOT NULL,     -- shingles (or bytes) of each, as compared
    size_b INTEGER NOT NULL,
    exact INTEGER NOT NULL,
    low REAL,
    high REAL,
    PRIMARY KEY (scheme, a, b)
) WITHOUT ROWID;
CREATE INDEX match_b ON match (scheme, b);

CREATE TABLE family (
    id INTEGER PRIMARY KEY,
    founder BLOB NOT NULL,       -- digest of the founding content: the family's name
    scheme INTEGER NOT NULL REFERENCES scheme,
    view TEXT NOT NULL,
    threshold REAL NOT NULL,
    containment REAL NOT NULL,
    kind TEXT NOT NULL,
    links INTEGER NOT NULL,
    weakest_a INTEGER REFERENCES content,
    weakest_b INTEGER REFERENCES content,
    weakest REAL,
    mean_resemblance REAL,
    run INTEGER NOT NULL REFERENCES run
);

CREATE TABLE family_content (
    family INTEGER NOT NULL REFERENCES family ON DELETE CASCADE,
    content INTEGER NOT NULL REFERENCES content,
    role TEXT NOT NULL CHECK (role IN ('member', 'part')),
    pivot INTEGER NOT NULL,
    to_pivot REAL,
    PRIMARY KEY (family, content)
) WITHOUT ROWID;
CREATE INDEX family_content_content ON family_content (content);
