"""The command line: ``python -m hedgerow fit --data optdigits --out digits``."""

from ._command import main

main()
