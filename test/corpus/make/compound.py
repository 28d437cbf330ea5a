"""Writes compound files (MS-CFB): a dict of streams, and of dicts for storages."""
import struct

SECTOR = 512
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def compound(root):
    sectors, chains, entries = [], [], []

    def put(content):
        """Returns the first sector."""
        if not content:
            return END
        first = len(sectors)
        count = -(-len(content) // SECTOR)
        for at in range(count):
            sectors.append(content[at * SECTOR:(at + 1) * SECTOR].ljust(SECTOR, b"\0"))
            chains.append(first + at + 1 if at + 1 < count else END)
        return first

    def add(name, kind, content, following):
        """The entries of a storage are a list: each has the next as its right sibling."""
        at = len(entries)
        entries.append(None)
        begin = put(content) if kind == 2 else END
        child = add_all(content) if kind != 2 else FREE
        size = len(content) if kind == 2 else 0
        right = following()
        text = name.encode("utf-16-le")
        entries[at] = struct.pack(
            "<64sHBBIII16sI8s8sIII", text, len(text) + 2, kind, 1, FREE, right, child, b"", 0, b"", b"", begin, size, 0
        )
        return at

    def add_all(storage):
        items = list(storage.items())

        def add_from(at):
            if at == len(items):
                return FREE
            name, content = items[at]
            return add(name, 1 if isinstance(content, dict) else 2, content, lambda: add_from(at + 1))

        return add_from(0)

    add("Root Entry", 5, root, lambda: FREE)
    while len(entries) % 4:
        entries.append(struct.pack("<64sHBBIII44s", b"", 0, 0, 0, FREE, FREE, FREE, b""))
    directory = put(b"".join(entries))
    fat_sectors = 1
    while (len(sectors) + fat_sectors) * 4 > fat_sectors * SECTOR:
        fat_sectors += 1
    fat_at = len(sectors)
    numbers = chains + [FAT] * fat_sectors
    table = b"".join(struct.pack("<I", one) for one in numbers).ljust(fat_sectors * SECTOR, b"\xff")
    listed = [fat_at + at for at in range(fat_sectors)] + [FREE] * (109 - fat_sectors)
    header = struct.pack(
        "<8s16sHHHHH6sIIIIIIIII", bytes.fromhex("d0cf11e0a1b11ae1"), b"", 0x3E, 3, 0xFFFE, 9, 6, b"",
        0, fat_sectors, directory, 0, 0, END, 0, END, 0,
    ) + struct.pack("<109I", *listed)
    return header + b"".join(sectors) + table
