"""Copies the self-contained programs of a test suite: suites_pick.py SUITE SOURCES FOLDER.

A program is self-contained when it is one file, needs no option, network, second process or library of its suite, and prints
nothing about the clock or about its own names, such as the lines of a traceback.
"""

import pathlib
import re
import sys


def gcc(sources, folder):
    for path in sources.rglob("*.c"):
        text = path.read_text(errors="surrogateescape")
        if folder.name == "c-torture":
            if path.parent.name == "execute":
                yield path.name, text
        elif "gcc.dg" in path.parts and "dg-do run" in text and '#include "' not in text:
            yield "_".join(path.parts[path.parts.index("gcc.dg") + 1 :]), text


def gpp(sources, _):
    for path in sources.rglob("*.C"):
        text = path.read_text(errors="surrogateescape")
        if "dg-do run" in text and '#include "' not in text:
            name = "_".join(path.parts[path.parts.index("g++.dg") + 1 :])
            yield name.removesuffix(".C") + ".cpp", text


def library(sources, _):
    needs = re.compile(
        r"dg-do (compile|link|preprocess)|c\+\+2[03]|dg-options|dg-require|dg-add|thread|filesystem|performance_"
        r"|[\"<]testsuite_(?!hooks)"
    )
    for path in sources.rglob("*.cc"):
        text = path.read_text(errors="surrogateescape")
        if "libstdc++-v3" in path.parts and "int main" in text and not needs.search(text):
            yield "_".join(path.parts[path.parts.index("testsuite") + 1 :]).removesuffix(".cc") + ".cpp", text


def jdk(sources, _):
    needs = re.compile(
        r"@library|@modules|@build|@requires|@compile|@key\s+(headful|intermittent)|--enable-preview|^\s*package\s"
        r"|java\.awt|javax\.swing|Thread\.sleep|Socket|ProcessBuilder|currentTimeMillis|nanoTime|new Random\(\)|\bsun\.",
        re.MULTILINE,
    )
    main = re.compile(r"static\s+(public\s+|final\s+|synchronized\s+)*void\s+main\s*\(")
    for part in ["langtools/tools/javac", "jdk/java/lang", "jdk/java/util", "hotspot/jtreg/compiler"]:
        for path in (sources / "test" / part).rglob("*.java"):
            text = path.read_text(errors="surrogateescape")
            runs = re.findall(r"@run\s+(.*)", text)
            is_plain = all(re.fullmatch(rf"main\s+{re.escape(path.stem)}\s*", run) for run in runs)
            is_its_class = re.search(rf"class\s+{re.escape(path.stem)}\b", text)
            is_alone = "@test" in text and main.search(text) and is_its_class and not needs.search(text)
            if is_plain and is_alone and len(text) < 30_000:
                yield "_".join(path.relative_to(sources / "test").parts), text


def node(sources, _):
    needs = re.compile(
        r"// Flags:|net\b|http|child_process|cluster|worker|tls|crypto|dgram|inspector|fixtures|tmpdir|__filename"
        r"|__dirname|process\.stdin|repl|vm\b|snapshot|wasi|internal/|hrtime|performance|readline"
        r"|require\('\.\./(?!common'\))"
    )
    common = f"'{(sources / 'test' / 'common').resolve()}'"
    for path in (sources / "test" / "parallel").glob("*.js"):
        text = path.read_text(errors="surrogateescape")
        if not needs.search(text) and not re.match(r"test-(error|stack|trace)", path.name):
            yield path.name, text.replace("'../common'", common)


def cpython(sources, _):
    needs = re.compile(
        r"test.support.*socket|import (socket|tkinter|multiprocessing|asyncio|subprocess|ssl|threading|curses|readline"
        r"|winreg|time)|socket_helper|assert_python|tracemalloc|inspect|traceback|__code__|getsource|gettrace|settrace"
        r"|__name__\b.*==.*'[a-z]|doctest"
    )
    for path in sources.rglob("test_*.py"):
        text = path.read_text(errors="surrogateescape")
        if path.parent.name == "test" and "__main__" in text and len(text) < 120_000 and not needs.search(text):
            yield path.name, text


def main():
    suite, sources, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    find = {"c-torture": gcc, "gcc": gcc, "g++": gpp, "libstdc++": library, "jdk": jdk, "node": node, "cpython": cpython}[suite]
    count = 0
    for name, text in find(sources, folder):
        with open(folder / name, "w", errors="surrogateescape", newline="") as file:
            file.write(text)
        count += 1
    print(f"{suite}: {count} self-contained programs")
    sys.exit(count == 0)


if __name__ == "__main__":
    main()
