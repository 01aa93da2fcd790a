"""Unpacks the letters of R's package mlbench: `letter.py LetterRecognition.rda` writes one line for each row, the class first.

The file is R's own format, packed by xz: a list with one data frame, whose first column is a factor and whose others are
numbers. This reads as much of the format as such a file has, with the standard library alone. All numbers have their highest
byte first; an item begins with four bytes whose lowest is its type.
"""

import lzma
import struct
import sys

SYMBOL, PAIRS, STRING, INTEGERS, REALS, STRINGS, LIST, NOTHING, SEEN = 1, 2, 9, 13, 14, 16, 19, 254, 255


class Reader:
    def __init__(self, data):
        if not data.startswith(b"RDX2\nX\n"):
            raise ValueError("this is no file of R in version 2 of its format")
        # Behind it stand the versions of the format and of R.
        self.data, self.at, self.symbols = data, 7 + 12, []

    def numbers(self, kind, n):
        values = struct.unpack_from(f">{n}{kind}", self.data, self.at)
        self.at += struct.calcsize(f">{n}{kind}")
        return list(values)

    def number(self):
        return self.numbers("i", 1)[0]

    def item(self):
        """The value of the next item: a list of numbers or texts, a text, or pairs by name."""
        flags = self.number()
        kind, has_attributes, has_tag = flags & 255, flags & 512, flags & 1024
        if kind == NOTHING:
            return {}
        if kind == SEEN:
            return self.symbols[(flags >> 8) - 1]
        if kind == SYMBOL:
            self.symbols.append(self.item())
            return self.symbols[-1]
        if kind == PAIRS and has_tag and not has_attributes:
            name = self.item()
            return {name: self.item()} | self.item()
        if kind == STRING:
            n = self.number()
            self.at += n
            return self.data[self.at - n : self.at].decode()
        n = self.number()
        if kind in (INTEGERS, REALS):
            values = self.numbers("i" if kind == INTEGERS else "d", n)
        elif kind in (STRINGS, LIST):
            values = [self.item() for _ in range(n)]
        else:
            raise ValueError(f"items of type {kind} are not known")
        attributes = self.item() if has_attributes else {}
        levels = attributes.get("levels")
        # A factor: numbers from 1 that stand for texts.
        return [levels[value - 1] for value in values] if levels else values


def main():
    with lzma.open(sys.argv[1]) as file:
        columns = Reader(file.read()).item()["LetterRecognition"]
    for row in zip(*columns):
        print(row[0], *(int(value) for value in row[1:]))


if __name__ == "__main__":
    main()
