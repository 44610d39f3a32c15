"""How many methods a second `allotrope.augment` rewrites.

    python augment.py FILE [--column func] [--language java] [--recipe all] [--limit 20000] [--natgen CHECKOUT] [--spat CLASSPATH] [--beside 2000]

FILE is a file of JSON lines, packed by gzip or not. Two published programs rename the variables of the first methods (`--beside`) in the same
run, each as it is used, with a process or a thread for each core:

- NatGen, from a checkout of its repository. It needs `pip install tree-sitter==0.21.3 tree-sitter-java==0.21.0`.
- SPAT, compiled against Eclipse JDT, whose jars are in the class path as well. Each method is a class in a file, as SPAT reads them.
"""

import argparse
import gzip
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import allotrope

CORES = len(os.sched_getaffinity(0))


def told(title: str, count: int, work: Callable[[], int]) -> None:
    """Does some work, which says how many programs it has changed, and prints its rate, with that of the processes it started."""

    def used() -> float:
        return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))

    begin, before = time.perf_counter(), used()
    changed = work()
    seconds, cpu = time.perf_counter() - begin, used() - before
    print(f"{title:22} {count:6} methods, {count / seconds:8.0f} a second, {count / cpu:8.0f} a CPU-second, {100 * changed / count:5.1f} % changed", flush=True)


def natgen_rewrites(checkout: str, programs: list[str]) -> int:
    with multiprocessing.get_context("fork").Pool(CORES, open_natgen, [checkout]) as pool:
        return sum(pool.imap_unordered(natgen_rewrites_one, programs, chunksize=64))


def open_natgen(checkout: str) -> None:
    global renamer
    sys.path.insert(0, checkout)
    import warnings

    import tree_sitter_java
    from src.data_preprocessors.transformations.var_renaming_transformation import VarRenamer  # type: ignore[import-not-found]

    warnings.simplefilter("ignore")
    renamer = VarRenamer(tree_sitter_java._binding.__file__, "java")


def natgen_rewrites_one(program: str) -> bool:
    return bool(renamer.transform_code(program)[1]["success"])


def spat_rewrites(classpath: str, folder: Path) -> int:
    # What it wants beside is the library of a Java 8; the one that runs has its own, and any jar does.
    jar = next(part for part in classpath.split(os.pathsep) if part.endswith(".jar"))
    given = ["java", "-cp", classpath, "spat.Main", "0", str(folder / "in"), str(folder / "out"), jar]
    said = subprocess.run(given, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return said.count("reWrited successfully")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--column", default="func")
    parser.add_argument("--language", default="java")
    parser.add_argument("--recipe", default="all,names,rename-local,structure")
    parser.add_argument("--limit", type=int, default=20_000)
    parser.add_argument("--natgen")
    parser.add_argument("--spat")
    parser.add_argument("--beside", type=int, default=2000)
    given = parser.parse_args()
    opened = gzip.open if given.file.suffix == ".gz" else open
    with opened(given.file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line, _ in zip(lines, range(given.limit))]
    characters = sum(len(row[given.column]) for row in rows)
    print(f"{len(rows)} programs, {characters / len(rows):.0f} characters each, {CORES} cores")
    for recipe in given.recipe.split(","):
        variants = allotrope.augment(rows, recipe, language=given.language, column=given.column, batch=1024)
        told(recipe, len(rows), lambda: sum(one[given.column] != row[given.column] for one, row in zip(variants, rows, strict=True)))
    programs = [row[given.column] for row in rows[: given.beside]]
    if given.natgen:
        told("NatGen, VarRenamer", len(programs), lambda: natgen_rewrites(given.natgen, programs))
    if given.spat:
        with TemporaryDirectory() as folder:
            for part in ("in", "out"):
                Path(folder, part).mkdir()
            for number, program in enumerate(programs):
                Path(folder, "in", f"{number}.java").write_text(f"class Apple {{\n{program}\n}}\n")
            told("SPAT, rule 0", len(programs), lambda: spat_rewrites(given.spat, Path(folder)))


if __name__ == "__main__":
    main()
