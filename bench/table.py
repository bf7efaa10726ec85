"""Aligned plain text: words to the left, figures to the right."""

from collections.abc import Sequence

Row = Sequence[str]


def table(head: Row, rows: Sequence[Row], *, words: int = 1) -> str:
    """The first `words` columns are words."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    shown = [
        "  ".join(cell.ljust(width) if i < words else cell.rjust(width) for i, (cell, width) in enumerate(cells))
        for cells in ([*zip(line, widths, strict=True)] for line in lines)
    ]
    return "\n".join(line.rstrip() for line in [shown[0], "-" * len(shown[0]), *shown[1:]])


def share(value: float | None) -> str:
    """A share of 1 that shows 1 only where nothing is missing."""
    if value is None:
        return "–"
    return "1" if value == 1.0 else f"{min(value, 0.9999):.4f}"


def figure(value: float) -> str:
    """Three digits that count."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
