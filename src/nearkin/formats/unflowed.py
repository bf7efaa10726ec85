"""Lines of mail that are cut anywhere, in languages without spaces (RFC 3676, DelSp=yes): put together again.

Other flowed text is left: its lines are cut at spaces, and a line's end is as good as one.
"""


def unflowed(text: str) -> str:
    told: list[str] = []
    goes_on, depth = False, 0  # the line before, and how deep it was quoted
    for line in text.split("\n"):
        inside = line.lstrip(">")
        quoted = len(line) - len(inside)
        inside = inside.removeprefix(" ")
        joined = goes_on and quoted == depth
        goes_on, depth = inside.endswith(" ") and inside != "-- ", quoted
        said = inside if joined else f"\n{line}" if told else line
        told.append(said[:-1] if goes_on else said)
    return "".join(told)
