"""What no compiler says: a type that two headers define otherwise is one to the linker, which takes either."""

import re
from collections import Counter
from pathlib import Path

NATIVE = Path(__file__).parents[1] / "native"
# At the beginning of a line, so in no other type; neither only declared nor a special case of a template.
DEFINED = re.compile(
    r"^namespace (?P<opened>[\w:]+) \{|^(?P<closed>\})  // namespace"
    r"|^(?:template <.*> )?(?:struct|class|enum class|enum|union) (?P<type>\w+)(?: final)?(?: :[^;{]*)? ?\{",
    re.MULTILINE,
)


def types(header: str) -> list[str]:
    found, within = [], list[str]()
    for one in DEFINED.finditer(header):
        if one["opened"]:
            within.append(one["opened"])
        elif one["closed"]:
            within.pop()
        else:
            found.append("::".join([*within, one["type"]]))
    return found


def twice(headers: list[str]) -> list[str]:
    counts = Counter(name for header in headers for name in types(header))
    return sorted(name for name, count in counts.items() if count > 1)


def test_types_have_names_of_their_own() -> None:
    headers = [path.read_text() for path in sorted(NATIVE.rglob("*.hpp"))]
    assert sum(len(types(header)) for header in headers) > 50
    assert twice(headers) == []


def test_one_name_for_two_types_is_seen() -> None:
    first = "struct Posting {\n  struct Row {};\n};\nclass Judge;\n"
    first += "namespace inner {\n\nenum Kind : int {};\n}  // namespace inner\n"
    second = "class Posting : public Row {};\n\nclass Judge {\n  struct Row {};\n};\nenum class Kind {};\n"
    texts = [f"namespace nearkin {{\n\n{text}\n}}  // namespace nearkin\n" for text in (first, second)]
    assert types(texts[0]) == ["nearkin::Posting", "nearkin::inner::Kind"]
    assert twice(texts) == ["nearkin::Posting"]
