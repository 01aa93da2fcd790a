"""The command line, as the programs ``hedgerow`` and ``python -m hedgerow`` run it."""

import signal
import sys

from ._native import run_command


def main() -> None:
    """Run the command that the arguments of this process ask for, and end the process."""
    # Python would only note Ctrl-C, for code of its own that never runs. Who ignores it, as programs behind nohup do, goes on doing so; verbs
    # that end tidily put a handler of their own in its place.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run_command(["hedgerow", *sys.argv[1:]]))
