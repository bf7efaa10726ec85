"""nearkin finds which documents are copies, versions, parts or containers of one another.

    import nearkin
    nearkin.resemblance("one text", "another text")
    pairs = nearkin.match(texts, threshold=0.7)
    with nearkin.Store.open("nearkin.db") as store:
        store.scan("docs/")

Importing costs nothing: every name is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nearkin.api.comparison import compare as compare
    from nearkin.api.scans import plan_scan as plan_scan
    from nearkin.api.schemes import list_schemes as list_schemes
    from nearkin.api.selftest import selftest as selftest
    from nearkin.api.store import Store as Store
    from nearkin.api.texts import containment as containment
    from nearkin.api.texts import families as families
    from nearkin.api.texts import learn_reference as learn_reference
    from nearkin.api.texts import match as match
    from nearkin.api.texts import resemblance as resemblance
    from nearkin.api.texts import sign as sign
    from nearkin.errors import EngineError as EngineError
    from nearkin.errors import InputError as InputError
    from nearkin.errors import NearkinError as NearkinError
    from nearkin.errors import StoreError as StoreError
    from nearkin.errors import UsageError as UsageError
    from nearkin.model import Summary as Summary
    from nearkin.sample.repository import write_sample as write_sample
    from nearkin.scheme.plan import plan_sample as plan_sample
    from nearkin.scheme.signature import Estimate as Estimate
    from nearkin.scheme.signature import Signature as Signature

    __version__: str

_HOMES = {
    "Store": "nearkin.api.store",
    "compare": "nearkin.api.comparison",
    "containment": "nearkin.api.texts",
    "families": "nearkin.api.texts",
    "learn_reference": "nearkin.api.texts",
    "list_schemes": "nearkin.api.schemes",
    "match": "nearkin.api.texts",
    "resemblance": "nearkin.api.texts",
    "sign": "nearkin.api.texts",
    "EngineError": "nearkin.errors",
    "InputError": "nearkin.errors",
    "NearkinError": "nearkin.errors",
    "StoreError": "nearkin.errors",
    "UsageError": "nearkin.errors",
    "Summary": "nearkin.model",
    "plan_sample": "nearkin.scheme.plan",
    "plan_scan": "nearkin.api.scans",
    "selftest": "nearkin.api.selftest",
    "write_sample": "nearkin.sample.repository",
    "Estimate": "nearkin.scheme.signature",
    "Signature": "nearkin.scheme.signature",
}

__all__ = [
    "EngineError",
    "Estimate",
    "InputError",
    "NearkinError",
    "Signature",
    "Store",
    "StoreError",
    "Summary",
    "UsageError",
    "__version__",
    "compare",
    "containment",
    "families",
    "learn_reference",
    "list_schemes",
    "match",
    "plan_sample",
    "plan_scan",
    "resemblance",
    "selftest",
    "sign",
    "write_sample",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("nearkin")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'nearkin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
