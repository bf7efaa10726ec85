"""The C++20 core. Kernels are in native/kernels, conversions in native/bindings.cpp."""

POLYNOMIAL: int

def fingerprint(text: bytes, /) -> int: ...
