"""A scheme's spec, `NAME:key=value,...`: the one string that says how a text was signed.

It is stored beside every signature, so it must come out the same however it was typed: keys in one order, numbers
plain, nothing left to defaults.
"""

from dataclasses import dataclass

from nearkin.errors import UsageError


@dataclass(frozen=True)
class Spec:
    name: str
    values: dict[str, int]

    def number(self, key: str, default: int | None, *, least: int = 1, most: int = 1 << 40) -> int:
        value = self.values.get(key, default)
        if value is None:
            raise UsageError(f"Scheme {self.name} needs {key}=NUMBER.")
        if not least <= value <= most:
            raise UsageError(f"{key}={value} of scheme {self.name} is out of range: {least} to {most}.")
        return value

    def only(self, *known: str) -> None:
        for key in self.values:
            if key not in known:
                raise UsageError(f"Scheme {self.name} has no key {key!r}; it knows: {', '.join(known)}.")


def parse_spec(text: str) -> Spec:
    name, _, rest = text.strip().partition(":")
    values: dict[str, int] = {}
    for item in filter(None, rest.split(",")):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not value.isascii() or not value.isdigit():
            raise UsageError(f"In scheme {text!r}, {item!r} is not of the form key=number.")
        if key in values:
            raise UsageError(f"In scheme {text!r}, {key} is given twice.")
        values[key] = int(value) if len(value) < 20 else 10**20  # out of every range, whatever it is
    return Spec(name, values)


def format_spec(name: str, **values: int) -> str:
    return f"{name}:" + ",".join(f"{key}={value}" for key, value in values.items())
