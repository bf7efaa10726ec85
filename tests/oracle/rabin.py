"""Rabin fingerprints as Broder 1997 §4.1 writes them: polynomials over GF(2) as Python integers."""

DEGREE = 64


def remainder(value: int, modulus: int) -> int:
    degree = modulus.bit_length()
    while value.bit_length() >= degree:
        value ^= modulus << (value.bit_length() - degree)
    return value


def fingerprint(text: bytes, polynomial: int) -> int:
    """A leading 1 bit, the text, 64 zero bits, modulo x^64 + polynomial."""
    bits = int.from_bytes(b"\x01" + text) << DEGREE
    return remainder(bits, 1 << DEGREE | polynomial)


def fingerprints(text: bytes, window: int, polynomial: int) -> list[int]:
    if len(text) < window:
        return [fingerprint(text, polynomial)] if text else []
    return [fingerprint(text[i : i + window], polynomial) for i in range(len(text) - window + 1)]


def product(a: int, b: int, modulus: int) -> int:
    total = 0
    while b:
        if b & 1:
            total ^= a
        a <<= 1
        b >>= 1
    return remainder(total, modulus)


def common_divisor(a: int, b: int) -> int:
    while b:
        a, b = b, remainder(a, b)
    return a


def irreducible(modulus: int) -> bool:
    """Rabin's test for a degree of 64, whose only prime divisor is 2."""

    def power_of_x(squarings: int) -> int:
        value = 0b10
        for _ in range(squarings):
            value = product(value, value, modulus)
        return value

    assert modulus.bit_length() == DEGREE + 1
    return power_of_x(DEGREE) == 0b10 and common_divisor(power_of_x(DEGREE // 2) ^ 0b10, modulus) == 1
