"""The command line: `allotrope`, or `python -m allotrope`."""

import signal
import sys

from allotrope import _native


def main() -> int:
    """Runs the command in `sys.argv` and returns its exit status."""
    # Python would only take note of Ctrl-C until the command has ended. Without its handler, a signal does what it does to the binary.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.main(["allotrope", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
