#!/usr/bin/env python3
"""Divides the public data sets for training: models/prepare.py FOLDER.

Reads the folder that ALLOTROPE_DATA names (by default ../shared/data beside the project) and writes, as JSON lines:

  corpus-*.jsonl.gz      programs for pre-training, none of them from a test split
  poj104-*.jsonl.gz      train, valid and test: 78, 2 and 20 per cent, by a shuffle with the seed 0
"""
import gzip
import json
import os
import pathlib
import random
import sys

data = pathlib.Path(os.environ.get("ALLOTROPE_DATA", pathlib.Path(__file__).resolve().parents[2] / "shared/data"))


def rows(path):
    with gzip.open(data / path, "rt", encoding="utf-8", errors="replace") as file:
        return [json.loads(line) for line in file]


def write(folder, name, lines):
    # Without a time and a name in the header the same rows are the same bytes.
    with open(folder / f"{name}.jsonl.gz", "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        for line in lines:
            packed.write((json.dumps(line) + "\n").encode())


def programs(codes, ending):
    return [{"file": f"{number}.{ending}", "code": code} for number, code in enumerate(codes)]


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)

    poj = rows("poj104/programs.jsonl.gz")
    random.Random(0).shuffle(poj)
    first, second = int(0.78 * len(poj)), int(0.8 * len(poj))
    for name, part in (("train", poj[:first]), ("valid", poj[first:second]), ("test", poj[second:])):
        write(folder, f"poj104-{name}", part)

    with gzip.open(data / "bigclonebench/test.txt.gz", "rt") as file:
        tested = {number for line in file for number in line.split()[:2]}
    functions = [row["func"] for row in rows("bigclonebench/functions.jsonl.gz") if str(row["idx"]) not in tested]
    java = functions + [row["code"] for row in rows("jdk17-methods/train.jsonl.gz")]
    devign = [row["func"] for row in rows("devign-train/train.jsonl.gz")]
    python = [row["code"] for row in rows("gcj-python-authorship/train.jsonl.gz")]
    write(folder, "corpus-java", programs(java, "java"))
    write(folder, "corpus-c", programs([row["code"] for row in poj[:first]] + devign, "c"))
    write(folder, "corpus-python", programs(python, "py"))


main()
