"""The largest families, so that the others need not be made, measured and named."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def largest(documents: NDArray[Any], size: NDArray[Any], limit: int | None) -> NDArray[np.intp]:
    """Which have most documents, of equal ones most bytes, ascending. What is as large as the last of them is among
    them: which of these comes first only their paths tell."""
    if limit is None or limit >= len(documents):
        return np.arange(len(documents))
    if limit == 0:
        return np.zeros(0, np.intp)
    last = np.lexsort((-size, -documents))[limit - 1]
    more = documents > documents[last]
    return np.flatnonzero(more | ((documents == documents[last]) & (size >= size[last])))
