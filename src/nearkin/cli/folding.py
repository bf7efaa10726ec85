"""Long lines on a terminal: sentences are broken between words, commands so that they can still be copied."""

import re

from nearkin.cli.wording import cells, fold

HARD = "\u00a0"  # a space that is not broken at
INDENT = "  "
COMMAND = re.compile(r"""(?<=: )nearkin (?:'[^']*'|"[^"]*"|[^;'"])*""")
ARGUMENT = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""")  # quotes stay whole: a line must not end within


def fold_command(command: str, width: int) -> list[str]:
    """Lines that a shell takes for one: all but the last end with a backslash."""
    if cells(command) <= width:
        return [command]
    words = ARGUMENT.findall(command)
    if " ".join(words) != command:  # a lone quote, or several spaces: better one long line than another command
        return [command]
    pieces = [" ".join(words[:2])]  # nearkin and what it should do
    for word in words[2:]:  # an option stays with its value
        if pieces[-1].startswith("--") and " " not in pieces[-1] and not word.startswith("-"):
            pieces[-1] += f" {word}"
        else:
            pieces.append(word)
    lines = pieces[:1]
    for word in pieces[1:]:
        if cells(lines[-1]) + cells(word) + len("  \\") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(f"{INDENT}{word}")
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


def fold_sentence(text: str, width: int, below: int | None = None) -> list[str]:
    """As `fold`; a command in it stays in one line where that has room for it, and is else folded as a command."""
    kept = COMMAND.sub(lambda found: found[0].replace(" ", HARD), text)
    found: list[str] = []
    for line in fold(kept, width, below):
        room = max(width if below is None or not found else below, 20)
        plain = line.replace(HARD, " ")
        found += fold_command(plain, room) if HARD in line and plain.startswith("nearkin ") else [plain]
    return found
