"""Generated programs, each rewritten by a chain of transformations, compiled and run: does the variant print the same?

A batch of programs is made, transformed and judged at a time. Finished batches are kept, so that a run that was stopped resumes.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import generate

FOLDER = pathlib.Path(__file__).resolve().parent
ENDINGS = {"c": "c", "cpp": "cpp", "java": "java", "python": "py", "javascript": "js"}
# A program that takes longer is left out; a variant gets ten times as long, since the machine may be busy.
SECONDS = 2


def compilers(options):
    """How programs of the language are compiled: the name of each way, and its command before the file and `-o`."""
    include = ["-w", f"-I{options.include}"]
    both = {"c": ("gcc", "clang"), "cpp": ("g++", "clang++")}.get(options.language, ())
    extra = ["-std=c++17"] if options.language == "cpp" else []
    return {f"{one} {level}": [one, level, *include, *extra] for one in both for level in ("-O0", "-O2")}


def sanitised(options):
    first = "clang" if options.language == "c" else "clang++"
    extra = ["-std=c++17"] if options.language == "cpp" else []
    checks = ["-fsanitize=undefined,address", "-fno-sanitize-recover=all"]
    return [first, "-O1", "-w", f"-I{options.include}", *extra, *checks]


def execute(command, seconds):
    """What a command prints, and its status; None where it does not finish."""
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL, env=environment)
    except subprocess.TimeoutExpired:
        return None
    return done.returncode, done.stdout


def compiled(command, source, target):
    done = subprocess.run([*command, str(source), "-o", str(target), "-lm"], capture_output=True)
    return None if done.returncode == 0 else done.stderr.decode(errors="replace").strip().splitlines()[:1] or ["failed"]


class Judge:
    """Runs originals and variants of one language."""

    def __init__(self, options, work):
        self.options, self.work = options, work

    def original(self, source):
        """What the original prints; None where it is left out, because it is slow or does not end well."""
        if self.options.language in ("c", "cpp"):
            way = next(iter(compilers(self.options).values()))
            target = self.work / f"{source.stem}-original"
            said = None if compiled(way, source, target) else execute([target], SECONDS)
            target.unlink(missing_ok=True)
        else:
            said = execute([{"python": sys.executable, "javascript": "node"}[self.options.language], source], SECONDS)
        return said if said is not None and said[0] == 0 else None

    def variant(self, original, variant, expected, number):
        """The ways in which the variant was tried, and the differences."""
        if self.options.language not in ("c", "cpp"):
            command = {"python": sys.executable, "javascript": "node"}[self.options.language]
            said = execute([command, variant], 10 * SECONDS)
            return [command], [] if said == expected else [(command, self.difference(said))]
        ways = dict(compilers(self.options))
        if number % self.options.sanitise == 0:
            ways["sanitised"] = sanitised(self.options)
        tried, differences = [], []
        for name, way in ways.items():
            # The sanitised original must be clean, and every way must agree about the original where the variant differs.
            if name == "sanitised" and self.one(way, original, expected):
                continue
            tried.append(name)
            problem = self.one(way, variant, expected)
            if problem and name != "sanitised" and self.one(way, original, expected):
                tried.pop()
                continue
            if problem:
                differences.append((name, problem))
        return tried, differences

    def one(self, way, source, expected):
        """What is wrong with a program that is compiled in this way; None where it prints what is expected."""
        target = self.work / f"{source.stem}-{abs(hash(tuple(way)))}-{source.parent.name}"
        problem = compiled(way, source, target)
        if problem:
            return f"does not compile: {problem[0]}"
        said = execute([target], 10 * SECONDS)
        target.unlink(missing_ok=True)
        return None if said == expected else self.difference(said)

    @staticmethod
    def difference(said):
        return "does not end" if said is None else f"status {said[0]}, {said[1][-60:]!r}"


class JavaJudge(Judge):
    """All programs of a batch are compiled at once, and run in one virtual machine, each with a class loader of its own."""

    def classes(self, folder, names):
        """Compiles the programs; what does not compile is returned with its first error."""
        target = self.work / f"{folder.name}-classes"
        target.mkdir()
        problems = {}
        rest = list(names)
        while rest:
            files = [str(folder / f"{name}.java") for name in rest]
            command = ["javac", "-J-XX:+UseSerialGC", "-nowarn", "-encoding", "UTF-8", "-Xmaxerrs", "10000", "-d", str(target)]
            done = subprocess.run([*command, *files], capture_output=True, text=True)
            if done.returncode == 0:
                break
            found = {}
            for line in done.stderr.splitlines():
                for name in rest:
                    if f"/{name}.java:" in line and "error:" in line:
                        found.setdefault(name, line)
            if not found:
                raise SystemExit(f"javac failed:\n{done.stderr[-2000:]}")
            problems |= found
            rest = [name for name in rest if name not in found]
        return target, problems

    def outputs(self, target, names):
        command = ["java", "-XX:+UseSerialGC", str(FOLDER / "RunAll.java"), str(target), *names]
        done = subprocess.run(command, capture_output=True, text=True, timeout=len(names) * SECONDS + 60)
        lines = done.stdout.splitlines()
        if len(lines) != len(names):
            raise SystemExit(f"java failed:\n{done.stderr[-2000:]}")
        return dict(zip(names, lines))


def batch_of(options, number, work):
    """Makes and judges a batch; returns its counts and its differences."""
    ending = ENDINGS[options.language]
    (work / "in").mkdir()
    first = number * options.batch
    count = min(options.batch, options.programs - first)
    names = [f"P{first + index:06}" for index in range(count)]

    def make(item):
        index, name = item
        source = work / "in" / f"{name}.{ending}"
        seed = options.seed * 1_000_000 + first + index
        if options.language == "c":
            small = "--max-funcs 4 --max-block-depth 3 --max-block-size 3 --max-expr-complexity 4 --max-array-dim 2"
            command = ["csmith", "--seed", str(seed + 1), *small.split(), "--max-array-len-per-dim", "5", "-o", source]
            # Csmith itself fails on a seed now and then: a program that is not there is left out.
            if subprocess.run(command, capture_output=True, cwd=work).returncode:
                source.write_text("#error csmith failed\n")
        else:
            source.write_text(generate.program(options.language, seed, name))

    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    list(pool.map(make, enumerate(names)))
    judge = (JavaJudge if options.language == "java" else Judge)(options, work)
    if options.language == "java":
        target, problems = judge.classes(work / "in", names)
        if problems:
            raise SystemExit(f"the generator is wrong: {problems}")
        expected = judge.outputs(target, names)
    else:
        expected = dict(zip(names, pool.map(judge.original, [work / "in" / f"{name}.{ending}" for name in names])))
    kept = [name for name in names if expected[name] is not None]
    for name in names:
        if expected[name] is None:
            (work / "in" / f"{name}.{ending}").unlink()
    command = [options.allotrope, "transform", "in", "-o", "out", "--alone", "--transform", options.transform]
    command += ["--scope", options.scope]
    command += ["--order", str(options.order), "--seed", str(options.seed + number), "--manifest", "manifest.jsonl", "--json"]
    done = subprocess.run([*command, "--threads", str(options.jobs)], cwd=work, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"transform failed: {done.stderr[-500:]}")
    summary = json.loads(done.stdout)
    counts = collections.Counter(programs=len(names), left_out=len(names) - len(kept), variants=summary["changed"])
    counts.update(rewrites=summary["rewrites"], unread=sum(summary["passed_through"].values()))
    differences = []
    if options.language == "java":
        target, problems = judge.classes(work / "out", kept)
        said = judge.outputs(target, [name for name in kept if name not in problems])
        counts["javac"] = len(kept)
        differences = [(name, "javac", problem) for name, problem in problems.items()]
        differences += [(name, "java", line[:200]) for name, line in said.items() if line != expected[name]]
    else:

        def look(item):
            index, name = item
            pair = [work / place / f"{name}.{ending}" for place in ("in", "out")]
            return name, judge.variant(*pair, expected[name], index)

        for name, (tried, found) in pool.map(look, enumerate(kept)):
            counts.update(pathlib.Path(way).name for way in tried)
            differences += [(name, *one) for one in found]
    for name in {name for name, *_ in differences}:
        failed = options.results / "failed" / name
        failed.mkdir(parents=True, exist_ok=True)
        for place in ("in", "out"):
            shutil.copy(work / place / f"{name}.{ending}", failed / f"{place}.{ending}")
        steps = [line for line in (work / "manifest.jsonl").read_text().splitlines() if f"{name}.{ending}" in line]
        (failed / "manifest.jsonl").write_text("\n".join(steps))
    return {"counts": counts, "differences": differences}


def table(options):
    """Prints what is finished."""
    counts, differences = collections.Counter(), []
    for file in sorted(options.results.glob("batch-*.json")):
        batch = json.loads(file.read_text())
        counts.update(batch["counts"])
        differences += batch["differences"]
    print("| | count |\n|---|---:|")
    names = {"left_out": "of them left out: slow, or no clean end", "unread": "of them not read", "rewrites": "rewrites"}
    for name in ["programs", "left_out", "unread", "variants", "rewrites"]:
        print(f"| {names.get(name, name)} | {counts.pop(name, 0)} |")
    for name, count in sorted(counts.items()):
        print(f"| variants by {name} | {count} |")
    print(f"| variants that differ | {len({name for name, *_ in differences})} |")
    for name, way, problem in differences:
        print(f"\n- {name}, {way}: {problem}")
    return 1 if differences else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=ENDINGS, default="c")
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=200, help="how many programs at a time")
    parser.add_argument("--scope", default="each-file", help="each-file or each-function: what gets the rewrites of a chain")
    parser.add_argument("--order", type=int, default=15, help="how many rewrites")
    parser.add_argument("--transform", default="all,-observable")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sanitise", type=int, default=10, help="one in so many C and C++ programs is sanitised as well")
    parser.add_argument("--results", type=pathlib.Path, help="folder whose folder generated-LANGUAGE keeps finished batches [survival/results]")
    parser.add_argument("--retry", action="store_true", help="do the batches again that have a difference")
    parser.add_argument("--table", action="store_true", help="only print the table of what is finished")
    parser.add_argument("--include", default="/usr/include/csmith", help="where csmith.h is")
    options = parser.parse_args()
    options.allotrope = os.environ.get("ALLOTROPE", str(FOLDER.parent / "target" / "release" / "allotrope"))
    options.results = ((options.results or FOLDER / "results") / f"generated-{options.language}").resolve()
    options.results.mkdir(parents=True, exist_ok=True)
    if not options.table:
        for number in range(-(-options.programs // options.batch)):
            file = options.results / f"batch-{number:04}.json"
            if file.exists() and not (options.retry and json.loads(file.read_text())["differences"]):
                continue
            with tempfile.TemporaryDirectory() as work:
                result = batch_of(options, number, pathlib.Path(work))
            part = file.with_suffix(".part")
            part.write_text(json.dumps(result))
            part.rename(file)
            print(f"batch {number}: {len(result['differences'])} differences", file=sys.stderr)
    return table(options)


if __name__ == "__main__":
    sys.exit(main())
