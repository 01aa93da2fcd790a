"""The command line, as the programs ``hedgerow`` and ``python -m hedgerow`` run it."""

import sys

from ._native import run_command


def main() -> None:
    """Run the command that the arguments of this process ask for, and end the process."""
    sys.exit(run_command(["hedgerow", *sys.argv[1:]]))
