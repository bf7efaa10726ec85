"""Headers and footers of Excel's sheets: what a reader sees of them, without codes.

&L&"Arial,Bold"&12Text: where, font, size; &P is the page's number ([ECMA-376] part 1 §18.3.1.46).
"""

import re

CODES = re.compile(r'&(?:"[^"]*"|\d+|K[0-9A-F]{6}|K\d\d[+-]\d{3}|[A-Z&])')


def without_codes(text: str) -> str:
    return " ".join(CODES.sub(" ", text).split())
