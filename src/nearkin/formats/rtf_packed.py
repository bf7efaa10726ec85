"""RTF as Outlook keeps it: LZ77 with a dictionary that begins with usual words of RTF ([MS-OXRTFCP] §3)."""

from nearkin.formats.adapter import Limits, Problem
from nearkin.model import Reason

USUAL = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans "
    rb"SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u"
    rb"\tab\tx"
)
RING = 4096
PLAIN, PACKED = b"MELA", b"LZFu"


def unpacked(data: bytes, limits: Limits) -> bytes:
    if data[8:12] == PLAIN:
        return data[16:]
    if data[8:12] != PACKED:
        raise Problem(Reason.CORRUPT, "the mail's text is compressed in an unknown way")
    ring = bytearray(USUAL.ljust(RING, b" "))
    at = len(USUAL)
    found = bytearray()
    place = 16
    while place < len(data):
        control = data[place]
        place += 1
        for bit in range(8):
            if place >= len(data):
                break
            if not control >> bit & 1:
                piece = data[place : place + 1]
                place += 1
                ring[at] = piece[0]
                at = (at + 1) % RING
                found += piece
                continue
            token = int.from_bytes(data[place : place + 2], "big")
            place += 2
            start, length = token >> 4, (token & 15) + 2
            if start == at:
                return bytes(found)
            for step in range(length):
                byte = ring[(start + step) % RING]
                ring[at] = byte
                at = (at + 1) % RING
                found.append(byte)
        if len(found) > limits.unpacked:
            raise Problem(Reason.TOO_LARGE, "it unpacks to more than the limit allows")
    return bytes(found)
