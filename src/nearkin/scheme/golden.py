"""Frozen signatures: for each spec one digest over the signatures of some hundred generated texts.

A store keeps features only, and compares those of new documents with them. So the same text must sign the same in
every version, on every machine and with every processor. If a digest here no longer comes out, undo what changed it,
or raise scheme.FORMAT (old signatures are then made anew) and freeze all of them again. `make golden` adds rows for
new specs and never changes one. `nearkin selftest` recomputes all on the user's machine.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b, shake_128

import numpy as np

from nearkin import _native
from nearkin.scheme import FORMAT, parse_scheme, sign

FROZEN_FORMAT = 2
EDGES = (127, 128, 219, 220, 255, 256, 257, 279, 280, 281, 419, 420, 819, 820, 999, 4095, 4096, 4097)
LONG = (12_819, 12_820, 16_402, 16_403, 20_000, 70_000)  # where the default scheme's modulus changes, and well beyond
WORD_COUNTS = (1, 2, 3, 5, 8, 13, 21, 34, 49, 50, 51, 89, 144, 399, 400, 401, 2000, 9000)

GOLDEN: dict[str, str] = {
    "exact:window=20": "1300838d85b202e9148e6036d11817c6",
    "mod:window=20,sample=200,most=64": "3f9aa41f9458a3c9e995b8f467bfe20e",
    "mod:window=20,n=100": "dd06ea915c7afd2a3d62ac37c938d4e3",
    "tttd:mean=100": "06eb567a6fb138a91a72c7253ed22ebf",
    "exact:window=3,unit=word": "26d2d164720d3464cd4260f5273a2997",
    "exact:window=20,label=yes": "a79f35715575e7b405bba7fe22483f96",
    "exact:window=20,bits=40": "bd47706f64ab017ef5a4510678216571",
    "exact:window=20,seed=7": "9c3ab2e12a978dd83ee9cf2892115afb",
    "exact:window=4,unit=char": "f1ea5c3e6f3b3deb87d0a5ad27269fcf",
    "exact:window=1,unit=line": "6a5b7b388505d68eec59b60720f2273f",
    "exact:window=5,unit=soundex": "d245546fe446b9e11004781462d5d75a",
    "mod:window=20,n=100,label=yes,bits=32,seed=1": "1128f309e46054c24e3d16d8f2e1e900",
    "min:window=20,n=100": "b0add5ddc2022c03c7f6009b136cf7f2",
    "min:window=20,n=100,mod=8": "e4be3d665646cdfe09c39d1af277dd14",
    "sketch:window=20,n=100": "9a5fe0803294724817be5cf897631eb8",
    "bsw:window=20,n=100": "51434a97a4f75685ca91aee1ba68d450",
    "si:method=3,stream=soundex,variation=B,k=40": "53b51f2dfb24d0ee999e19043624711a",
    "fuzzy:classes=18,intervals=3,variants=3": "e9f037fbb781387fce1d36319c586187",
    "mod:window=3,n=4,unit=word,label=yes,bits=40,seed=7": "f521fd5c4ac266087ff260add15451c0",
    "sketch:window=5,n=33,unit=word,seed=3": "db63e8d608a9fcf67d9f78953232b91a",
    "bsw:window=20,n=7,label=yes": "a1adb56240f694b67f3f4aad1c6f26be",
    "min:window=3,n=20,unit=word,bits=32": "d221b026bd5f25aa2a72fc369d733968",
    "tttd:window=20,min=46,max=280,divisor=54,backup=27": "462c44bf42f372ab242734440b163d8a",
    "si:method=5,stream=word,variation=D,k=3,w=4": "c6160fd9124ecb08194e5f9e5540dd1b",
    "chunk:mean=100": "ff73944ddfd274c3cf898cb7f15aab5c",
    "chunk:mean=50,window=20,seed=2": "f588f74549818336bcf5a8dd60a58a08",
    "tttd:mean=100,bits=32,seed=9": "ba47dfe12275210548f6fc4ff89c6c73",
    "fuzzy:classes=26,intervals=2,variants=4": "7d795cd9ed4978472db5756d1fb34ce7",
    "si:method=14,stream=soundex,variation=B,k=40": "143b37a722850b77f7a4c6164850763c",
}  # fmt: skip


@cache
def frozen_texts() -> tuple[bytes, ...]:
    """Bytes of full entropy, few letters, words and lines, and runs, at lengths about every boundary.

    They are made from SHAKE-128 alone, which is the same in every version of Python.
    """
    texts = []
    for size in (*range(101), *EDGES, *LONG):
        noise = shake_128(str(size).encode()).digest(size)
        texts += [noise, bytes(0x61 + byte % 5 for byte in noise)]
    texts += [_words(count).encode() for count in WORD_COUNTS]
    return (*texts, bytes(3000), b"\xff" * 3000, b"ab" * 1500, b"the rose is a rose\n" * 200)


def _words(count: int) -> str:
    """Words of one to ten letters, some of them accented or of two scripts, some common, in lines of a few."""
    dice = iter(shake_128(b"words %d" % count).digest(14 * count))
    common = ("the", "of", "and", "a", "in", "robert", "rupert", "to")
    letters = "etaoinshrdlucmfwypvbgkjqxzé文"

    def word() -> str:
        kind = next(dice)
        if kind < 64:
            return common[kind % len(common)]
        # A word is of all letters, or of the commonest few: as in languages, letters are not equally frequent.
        return "".join(letters[next(dice) * 28 // 256 * (kind % 7 + 1) // 7] for _ in range(1 + kind % 10))

    return "".join(word() + ("\n" if next(dice) < 32 else " ") for _ in range(count))


def frozen_digest(spec: str) -> str:
    scheme = parse_scheme(spec)
    digest = blake2b(digest_size=16)
    for text in frozen_texts():
        signature = sign(text, scheme)
        digest.update(signature.modulus.to_bytes(8, "little"))
        digest.update(len(signature).to_bytes(8, "little"))
        digest.update(signature.features.astype("<u8").tobytes())
        digest.update(signature.weights.astype("<u4").tobytes())
    return digest.hexdigest()


def kernels_agree() -> bool:
    """Whether the sketch kernel that this processor runs gives what the portable one gives."""
    fingerprints = _native.fingerprints(shake_128(b"kernels").digest(5000), 20)
    return all(
        np.array_equal(_native.slot_minima(some, slots), _native.slot_minima(some, slots, portable=True))
        for slots in (1, 7, 84, 100, 1000)
        for some in (fingerprints[:0], fingerprints[:5], fingerprints[:333], fingerprints)
    )


def recomputed() -> Iterator[tuple[str, bool]]:
    """Every frozen spec, and whether it still signs as it did."""
    for spec, frozen in GOLDEN.items():
        yield spec, FORMAT == FROZEN_FORMAT and frozen_digest(spec) == frozen
