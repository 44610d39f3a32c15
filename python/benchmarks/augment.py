"""How many methods a second `allotrope.augment` rewrites.

    python augment.py FILE [--column func] [--language java] [--recipe all] [--limit 20000]

FILE is a file of JSON lines, packed by gzip or not.
"""

import argparse
import gzip
import json
import os
import time
from pathlib import Path

import allotrope


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--column", default="func")
    parser.add_argument("--language", default="java")
    parser.add_argument("--recipe", default="all,names,rename-local,structure")
    parser.add_argument("--limit", type=int, default=20_000)
    given = parser.parse_args()
    opened = gzip.open if given.file.suffix == ".gz" else open
    with opened(given.file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line, _ in zip(lines, range(given.limit))]
    characters = sum(len(row[given.column]) for row in rows)
    print(f"{len(rows)} programs, {characters / len(rows):.0f} characters each, {os.cpu_count()} cores")
    for recipe in given.recipe.split(","):
        variants = allotrope.augment(rows, recipe, language=given.language, column=given.column, batch=1024)
        begin, used = time.perf_counter(), time.process_time()
        changed = sum(one[given.column] != row[given.column] for one, row in zip(variants, rows, strict=True))
        seconds, cpu = time.perf_counter() - begin, time.process_time() - used
        share = 100 * changed / len(rows)
        print(f"{recipe:14} {len(rows) / seconds:8.0f} a second, {len(rows) / cpu:8.0f} a CPU-second, {share:5.1f} % changed")


if __name__ == "__main__":
    main()
