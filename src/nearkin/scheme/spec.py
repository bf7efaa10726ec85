"""A scheme's spec, `NAME:key=value,...`: the one string that says how a text was signed.

It is stored beside every signature, so it must come out the same however it was typed: keys in one order, numbers
plain, no key left out but those that every scheme shares and that are at their default.
"""

from dataclasses import dataclass

from nearkin.errors import UsageError
from nearkin.settings import checked


@dataclass(frozen=True)
class Spec:
    """The name and the keys of a spec as they were typed. Reading a key that is wrong raises a UsageError."""

    name: str
    values: dict[str, str]

    def number(self, key: str, default: int | None, *, least: int = 1, most: int = 1 << 40) -> int:
        value = self.values.get(key)
        if value is None:
            if default is None:
                raise UsageError(f"Scheme {self.name} needs {key}=NUMBER.")
            number = default
        elif value.isascii() and value.isdigit():
            number = int(value) if len(value) < 20 else 10**20  # out of every range
        else:
            raise UsageError(f"{key}={value} of scheme {self.name} is not a number.")
        if not least <= number <= most:
            raise UsageError(f"{key}={value or number} of scheme {self.name} is out of range: {least} to {most}.")
        return number

    def choice(self, key: str, default: str, known: tuple[str, ...]) -> str:
        value = self.values.get(key, default)
        if value not in known:
            raise UsageError(f"{key}={value} of scheme {self.name} is unknown; known are: {', '.join(known)}.")
        return value

    def only(self, *known: str) -> None:
        """Refuse keys that the scheme does not have."""
        for key in self.values:
            if key not in known:
                raise UsageError(f"Scheme {self.name} has no key {key!r}; it knows: {', '.join(known)}.")


def parse_spec(text: str) -> Spec:
    name, _, rest = checked("scheme", text, str).strip().partition(":")
    values: dict[str, str] = {}
    for item in filter(None, rest.split(",")):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not value:
            raise UsageError(f"In scheme {text!r}, {item!r} is not of the form key=value.")
        if key in values:
            raise UsageError(f"In scheme {text!r}, {key} is given twice.")
        values[key] = value
    return Spec(name, values)


def format_spec(name: str, **values: int | str) -> str:
    return f"{name}:" + ",".join(f"{key}={value}" for key, value in values.items())
