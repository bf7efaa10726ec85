"""Inodes as a store holds them: SQLite's numbers have a sign, and some file systems use all 64 bits."""


def stored_inode(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number
