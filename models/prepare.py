#!/usr/bin/env python3
"""Divides the public data sets for training: models/prepare.py FOLDER.

Reads the folder that ALLOTROPE_DATA names (by default ../shared/data beside the project) and writes, as JSON lines:

  corpus-*.jsonl.gz             programs for pre-training, none of them from a test split
  poj104-*.jsonl.gz             train, valid and test: 78, 2 and 20 per cent, by a shuffle; test-distinct is the part of the
                                test programs that is like no training program
  defect-*.jsonl.gz             is this version the wrong one? Codeflaws, IntroClass and ConDefects, divided by problem
  juliet-weakness-*.jsonl.gz    is there a flaw? Functions of Juliet without what names and comments tell, divided by weakness
  juliet-random-*.jsonl.gz      the same functions by a shuffle, so that templates are in all parts
  owasp-weakness-*.jsonl.gz, owasp-random-*.jsonl.gz    the same for the servlets of the OWASP Benchmark

All shuffles have the seed 0.
"""
import collections
import gzip
import json
import math
import os
import pathlib
import random
import re
import sys

data = pathlib.Path(os.environ.get("ALLOTROPE_DATA", pathlib.Path(__file__).resolve().parents[2] / "shared/data"))


def rows(path):
    with gzip.open(data / path, "rt", encoding="utf-8", errors="replace") as file:
        return [json.loads(line) for line in file]


def write(folder, name, lines):
    # Without a time and a name in the header the same rows are the same bytes.
    with open(folder / f"{name}.jsonl.gz", "wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        for line in lines:
            packed.write((json.dumps(line) + "\n").encode())


def shuffled(items):
    items = list(items)
    random.Random(0).shuffle(items)
    return items


def divided(lines, key, shares=(0.8, 0.9)):
    """Lines as train, valid and test, so that all lines of a key are in one part."""
    keys = shuffled(dict.fromkeys(key(line) for line in lines))
    first, second = (int(share * len(keys)) for share in shares)
    part = {key: "train" if place < first else "valid" if place < second else "test" for place, key in enumerate(keys)}
    parts = {"train": [], "valid": [], "test": []}
    for line in shuffled(lines):
        parts[part[key(line)]].append(line)
    return parts


def write_parts(folder, name, parts):
    for part, lines in parts.items():
        write(folder, f"{name}-{part}", lines)


def tokens(code):
    """Words and signs, each with how often it was there before, so that a set of them counts."""
    seen = collections.Counter()
    numbered = set()
    for token in re.findall(r"\w+|[^\w\s]", code):
        seen[token] += 1
        numbered.add((token, seen[token]))
    return numbered


def distinct(tests, trained):
    """The tests that have at most 95 per cent of their tokens in common with every training program of their class."""
    trained = [(row["label"], tokens(row["code"])) for row in trained]
    frequency = collections.Counter(token for _, own in trained for token in own)

    def rarest(own):
        # Two sets that have more in common share one of the rarest twentieth of each.
        return sorted(own, key=lambda token: (frequency[token], token))[:len(own) - math.floor(0.95 * len(own))]

    places = collections.defaultdict(list)
    for place, (label, own) in enumerate(trained):
        for token in rarest(own):
            places[label, token].append(place)

    def is_distinct(row):
        own = tokens(row["code"])
        near = {place for token in rarest(own) for place in places[row["label"], token]}
        others = (trained[place][1] for place in near)
        return all(len(own & other) <= 0.95 * max(len(own), len(other)) for other in others)

    return [row for row in tests if is_distinct(row)]


def unique(lines):
    """Without programs that are there already, and without those that have both labels."""
    labels = collections.defaultdict(set)
    for line in lines:
        labels[line["code"]].add(line["label"])
    kept = {line["code"]: line for line in lines if len(labels[line["code"]]) == 1}
    return list(kept.values())


def defects():
    """Programs that are right or wrong."""
    lines = []

    def add(source, problem, language, code, label):
        lines.append({"source": source, "problem": problem, "language": language, "label": label, "code": code})

    for row in rows("codeflaws/versions.jsonl.gz"):
        add("codeflaws", row["problem"], "c", row["buggy"], 1)
        add("codeflaws", row["problem"], "c", row["accepted"], 0)
    for row in rows("introclass/programs.jsonl.gz"):
        add("introclass", row["task"], "c", row["code"], int(bool(row["fail"])))
    for row in rows("condefects/pairs.jsonl.gz"):
        language = "python" if row["lang"] == "py" else row["lang"]
        add("condefects", row["task"], language, row["faulty"], 1)
        add("condefects", row["task"], language, row["correct"], 0)
    return unique(lines)


def without_comments(code):
    """Strings stay, since what looks like a comment may be in one."""
    pattern = r'"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/"
    code = re.sub(pattern, lambda found: found[0] if found[0][0] in "\"'" else " ", code, flags=re.DOTALL)
    return re.sub(r"\n\s*\n+", "\n", code)


def functions(code):
    """The functions at the outermost level by name. They begin at the start of a line and end with a brace there."""
    return {found[1]: found[0] for found in re.finditer(r"^[A-Za-z_][^\n;{}=]*?\b(\w+)\s*\([^;{}]*\)\s*\n\{.*?^\}", code, re.M | re.S)}


def juliet():
    """A program for each flawed or good function with the functions that it calls. Names that tell the label are replaced."""
    lines = []
    for row in rows("juliet-c/testcases.jsonl.gz"):
        code = without_comments(row["code"])
        for guard, label in (("OMITBAD", 1), ("OMITGOOD", 0)):
            found = re.search(rf"^#ifndef {guard}\n(.*?)^#endif", code, re.M | re.S)
            if not found:
                continue
            parts = functions(found[1])
            calls = {name: [other for other in parts if other != name and re.search(rf"\b{other}\b", text)] for name, text in parts.items()}
            called = {other for others in calls.values() for other in others}
            # The last function of the good ones only calls them all; each of them is a program.
            roots = [name for name in parts if name not in called]
            if label == 0:
                roots = [other for root in roots for other in calls[root]] or roots
            for root in roots:
                needed, waiting = [], [root]
                while waiting:
                    name = waiting.pop()
                    if name not in needed:
                        needed.append(name)
                        waiting += calls[name]
                program = "\n".join(parts[name] for name in parts if name in needed)
                names = {}
                telling = lambda word: names.setdefault(word[0], f"name{len(names) + 1}")
                program = re.sub(r"\b\w*(?:good|bad|CWE\d)\w*\b", telling, program, flags=re.I)
                program = re.sub(r"^static (?=void name)", "", program, flags=re.M)
                lines.append({"label": label, "cwe": row["cwe"], "code": program})
    return unique(lines)


def owasp():
    """Servlets from the class on. Numbers of test cases and paths, which tell the weakness, are replaced."""
    lines = []
    for row in rows("owasp-benchmark/testcases.jsonl.gz"):
        code = without_comments(row["code"])
        code = code[code.index("public class"):]
        code = re.sub(r"BenchmarkTest\d+", "Servlet", code)
        lines.append({"label": int(row["vulnerable"]), "cwe": row["category"], "code": code})
    return unique(lines)


def programs(codes, ending):
    return [{"file": f"{number}.{ending}", "code": code} for number, code in enumerate(codes)]


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)

    poj = shuffled(rows("poj104/programs.jsonl.gz"))
    first, second = int(0.78 * len(poj)), int(0.8 * len(poj))
    write_parts(folder, "poj104", {"train": poj[:first], "valid": poj[first:second], "test": poj[second:]})

    defect = divided(defects(), lambda line: line["problem"])
    write_parts(folder, "defect", defect)
    known = {}
    for name, lines in (("juliet", juliet()), ("owasp", owasp())):
        known[name] = divided(lines, lambda line: line["cwe"])
        write_parts(folder, f"{name}-weakness", known[name])
        write_parts(folder, f"{name}-random", divided(lines, lambda line: line["code"]))

    with gzip.open(data / "bigclonebench/test.txt.gz", "rt") as file:
        tested = {number for line in file for number in line.split()[:2]}
    clones = [row["func"] for row in rows("bigclonebench/functions.jsonl.gz") if str(row["idx"]) not in tested]
    versions = lambda language: [line["code"] for line in defect["train"] if line["language"] == language]
    solved = lambda name: [row["prompt"] + row["canonical_solution"] for row in rows(f"mbxp/{name}.jsonl.gz") if row["canonical_solution"]]
    codes = lambda path: [row["code"] for row in rows(path)]
    write(folder, "corpus-java", programs(
        clones + codes("jdk17-methods/train.jsonl.gz") + versions("java") + [line["code"] for line in known["owasp"]["train"]]
        + solved("java") + codes("gfg-transcoder/java.jsonl.gz") + codes("the-algorithms/java.jsonl.gz"), "java"))
    write(folder, "corpus-c", programs(
        [row["code"] for row in poj[:first]] + [row["func"] for row in rows("devign-train/train.jsonl.gz")] + versions("c")
        + [line["code"] for line in known["juliet"]["train"]] + codes("the-algorithms/c.jsonl.gz"), "c"))
    write(folder, "corpus-cpp", programs(
        codes("gcj2017-cpp/programs.jsonl.gz") + solved("cpp") + codes("gfg-transcoder/cpp.jsonl.gz"), "cpp"))
    write(folder, "corpus-python", programs(
        codes("gcj-python-authorship/train.jsonl.gz") + versions("python") + solved("python")
        + codes("gfg-transcoder/python.jsonl.gz") + codes("the-algorithms/python.jsonl.gz"), "py"))
    write(folder, "corpus-javascript", programs(solved("js") + codes("the-algorithms/javascript.jsonl.gz"), "js"))
    write(folder, "poj104-test-distinct", distinct(poj[second:], poj[:first]))


main()
