"""The table of the fleet: what is finished of every project, and the failures by name."""

import collections
import pathlib
import re
import subprocess
import sys

folder, results = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
TITLES = {"c": "C", "cpp": "C++", "java": "Java", "python": "Python", "javascript": "JavaScript"}


def left_out(project):
    """What a project leaves out, as its declaration says it."""
    script = f'left_out() {{ :; }}; source "{folder}/projects/{project}"; left_out'
    printed = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout
    reasons = collections.defaultdict(list)
    for line in printed.splitlines():
        pattern, _, reason = line.strip().partition(" ")
        reasons[reason.strip()].append(f"`{pattern}`")
    return "; ".join(f"{', '.join(patterns)}: {reason}" for reason, patterns in reasons.items())


def rows(project):
    """Name, rewrites and verdict of every finished row."""
    for file in sorted((results / project / "rows").glob("*.row")):
        _, name, rewrites, _, verdict, _ = re.split(r" ?\| ?", file.read_text().strip())
        yield name, int(rewrites or 0), verdict


def counts(verdicts):
    passed, none = verdicts.count("passed"), verdicts.count("no site")
    return passed, none, len(verdicts) - passed - none


languages, failures, notes, problems = collections.defaultdict(list), [], [], []
total = collections.Counter()
for project in sys.argv[3:]:
    declaration = (folder / "projects" / project).read_text()
    language = re.search(r"^language=(\w+)$", declaration, re.M).group(1)
    problem = results / project / "problem"
    if problem.exists():
        problems.append(problem.read_text().strip())
    original = results / project / "rows" / "original"
    if not original.exists():
        continue
    seconds, files, unread, version = (original.read_text().split() + ["", "", "", ""])[:4]
    found = list(rows(project))
    # A row of several transformations says nothing that their own rows do not say, unless it failed and none of them did.
    found = [row for row in found if not row[0].startswith("together-") or row[2].startswith("failed")]
    single = counts([verdict for name, _, verdict in found if not name.startswith("chain-")])
    chains = counts([verdict for name, _, verdict in found if name.startswith("chain-")])
    rewrites = sum(count for _, count, _ in found)
    languages[language].append(
        f"| {project} {version} | {TITLES[language]} | {files} | {unread} | {seconds} | {single[0]} | {single[1]} | {single[2]} "
        f"| {chains[0] + chains[1]} | {chains[2]} | {rewrites} |"
    )
    failures += [f"- {project}, {name}: {verdict}" for name, _, verdict in found if verdict.startswith("failed")]
    if reason := left_out(project):
        notes.append(f"- {project}: {reason}")
    total.update(projects=1, files=int(files), unread=int(unread), passed=single[0], none=single[1], failed=single[2])
    total.update(chains=chains[0] + chains[1], broken=chains[2], rewrites=rewrites)

print("| project | language | files | of them unread | suite, s | passed | no site | failed | chains passed | chains failed | rewrites |")
print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
for language in TITLES:
    print("\n".join(languages[language])) if languages[language] else None
print(
    f"| {total['projects']} projects | | {total['files']} | {total['unread']} | | {total['passed']} | {total['none']} | {total['failed']} "
    f"| {total['chains']} | {total['broken']} | {total['rewrites']} |"
)
for title, lines in [("Failed:", failures), ("Could not be run:", problems), ("Left out, and copied as they are:", notes)]:
    if lines:
        print(f"\n{title}\n")
        print("\n".join(lines))
sys.exit(1 if failures or problems else 0)
