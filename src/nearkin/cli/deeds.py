"""What was done, in a few words, from what the audit noted before and after."""

from typing import Any

from nearkin.cli.output import Record
from nearkin.cli.wording import count
from nearkin.cli.wording import size as in_words

CHANGES = ("new", "changed", "moved", "gone")
DIGITS = 12  # of a digest


def subject(record: Record, *, scoped: bool) -> list[str]:
    """What is added is noted by its path; where paths alone are ambiguous, its scope goes before it. Of a pair each
    document has a line."""
    scope = (record["after"] or {}).get("scope") if record["action"] == "check --add" else None
    name = f"{scope}:{record['subject']}" if scoped and scope else str(record["subject"])
    if not record["action"].startswith("verdict") or not name.startswith("pair "):
        return [name]
    first, *rest = name.split(" and ")
    return [first, *(f"and {one}" for one in rest)]


def told(record: Record) -> str:
    before, after = (record[side] if isinstance(record[side], dict) else {} for side in ("before", "after"))
    match record["action"]:
        case "scan":
            return _scan(after)
        case "verdict set":
            instead = f", instead of {before['verdict']}" if before else ""
            return f"{after.get('verdict')}{instead}{_note(after)}"
        case "verdict clear":
            return f"no longer {before.get('verdict')}{_note(before)}"
        case "template add" | "template remove":
            about = after or before
            return f"from a {about.get('source')}{_note(about)}"
        case "check --add":
            return f"{after.get('digest', '')[:DIGITS]}, {in_words(after.get('size', 0))}"
        case "forget":
            digests = " ".join(digest[:DIGITS] for digest in before.get("digests", []))
            return f"{count(before.get('versions', 0), 'versions')}: {digests}"
        case "drop":
            return f"{count(before.get('documents', 0), 'documents')} of {before.get('root')}"
        case "scope moved":
            return f"from {before.get('root')} to {after.get('root')}"
        case "keep --apply" | "keep --undo":
            return ", ".join(f"{number:,} {what}" for what, number in after.get("documents", {}).items())
        case "compact":
            return ", ".join(count(number, what) for what, number in after.items() if number) or "nothing was stale"
    return ""


def _scan(after: dict[str, Any]) -> str:
    changes = [f"{count(after[name])} {name}" for name in CHANGES if after.get(name)]
    found = [count(after[name], name) for name in ("documents", "families") if name in after]
    return "; ".join(filter(None, [", ".join(found), ", ".join(changes)]))


def _note(about: dict[str, Any]) -> str:
    return f", “{about['note']}”" if about.get("note") else ""
