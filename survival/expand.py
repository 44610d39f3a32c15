"""Expands the macros of a C file, but leaves the headers of the system included.

Usage: python3 expand.py FILE [FLAGS OF THE COMPILER...] >EXPANDED

Many files of C cannot be read without their macros (`int ZEXPORT inflate(strm, flush)`). What the preprocessor makes of such
a file is a program of C like any other. The system's headers go back to being lines with `#include`, because what they
declare is not part of the project, and most of it is never used. The comments of the file stay, those of its headers go.
"""

import os
import re
import subprocess
import sys

MARKER = re.compile(r'# \d+ "((?:[^"\\]|\\.)*)"((?: \d)*)$')

DEFINITION = re.compile(r"#define (\w+)(.*)$")


def expand(file, flags):
    # With -dD the definitions stay in the text: those of reserved names tell the system's headers what to declare.
    command = ["gcc", "-E", "-C", "-dD", *flags, os.path.basename(file)]
    folder = os.path.dirname(file) or "."
    text = subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout.decode("latin-1")
    # Whether each of the files that are open belongs to the system. Number 1 enters a file and 2 leaves it; 3 alone says
    # nothing about the file, it also stands where a macro of the system was expanded.
    lines, in_header, opened = [], [], [True]
    # The macros of the system's headers, by the line with the `#include`.
    macros, included = {}, None
    for line in text.split("\n"):
        marker = MARKER.match(line)
        if marker:
            lines.append(re.sub(r"/\*.*?\*/", " ", "\n".join(in_header), flags=re.DOTALL))
            in_header = []
            name, numbers = marker.group(1), marker.group(2).split()
            if "1" in numbers:
                is_system = opened[-1] or "3" in numbers
                if is_system and not opened[-1]:
                    lines.append(f"#include <{header(name)}>")
                    included = len(lines) - 1
                    macros[included] = {}
                opened.append(is_system)
            elif "2" in numbers:
                opened.pop()
            if len(opened) == 1:
                # The flags of the command line and what the compiler defines by itself have names such as <built-in>.
                opened[0] = name.startswith("<")
        elif opened[-1]:
            definition = DEFINITION.match(line)
            if definition and included is not None:
                macros[included][definition.group(1)] = definition.group(2).strip()
        elif re.match(r"#(define|undef) _[A-Z]", line) or not re.match(r"#(define|undef) ", line):
            # A comment of a header may go over several lines, so that it is taken out when the header ends.
            (lines if len(opened) == 1 else in_header).append(line)
    # A name that is still there although it is a macro must not be expanded a second time: `sa_handler` is
    # `__sigaction_handler.sa_handler`.
    code = re.sub(r"/\*.*?\*/|^#.*?$", " ", "\n".join(lines), flags=re.DOTALL | re.MULTILINE)
    used = set(re.findall(r"\w+", code))
    for place, defined in macros.items():
        again = [name for name, body in defined.items() if name in used and body != name]
        lines[place] = "\n".join([lines[place], *(f"#undef {name}" for name in again)])
    # Where the directives stood there are many empty lines.
    return re.sub(r"\n[ \t]*(\n[ \t]*)+\n", "\n\n", "\n".join(lines)).lstrip("\n")


def header(path):
    """The name by which a program includes a header of the system."""
    name = re.sub(r"^.*/include/", "", path)
    return re.sub(r"^[a-z0-9_]+-linux-gnu[a-z0-9]*/", "", name)


if __name__ == "__main__":
    sys.stdout.buffer.write(expand(sys.argv[1], sys.argv[2:]).encode("latin-1"))
