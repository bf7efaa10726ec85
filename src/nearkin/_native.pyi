"""The C++20 core. Kernels are in native/kernels, conversions in native/bindings.cpp."""

POLYNOMIAL: int

def fingerprint(text: bytes, /) -> int: ...
def blake2b(data: bytes) -> bytes: ...
def valid_utf8(data: bytes) -> bool: ...
def count_code_points(utf8: bytes) -> int: ...

# What sniff says. OTHER is text in an encoding that is not UTF-8.
EMPTY: int
TEXT: int
HTML: int
BINARY: int
OTHER: int

def sniff(data: bytes, named_html: bool) -> int: ...

# The text a reader of a page sees; UTF-8 in, UTF-8 out.
def visible_text(html: bytes) -> bytes: ...
