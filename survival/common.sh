# shellcheck shell=bash
# What the scripts of this folder share: a whole project is rewritten, and its own test suite says whether it still works.
#
# A script sources this file, sets `project` and `language`, defines three functions and calls `survive "$@"`:
#   fetch DIR       puts the original sources into DIR, which exists and is empty
#   rewritten DIR   prints the files and folders to rewrite, one a line, relative to DIR or absolute
#   check DIR       builds the project in DIR and runs its suite there; fails where the suite does
# It may define one more:
#   first_failure LOG   prints the first failing test out of the log of a failed check
# and it may set:
#   scope, order                how much a single transformation rewrites (each-file, 200)
#   chain_scope, chain_order    how much a chain rewrites (each-function, 10)
#   ending                      the names of the files to rewrite in folders, as a pattern of `find` (by language)
#   limit                       the most seconds that a check may take (ten times as long as the original's, and `patience`)
#   patience                    60 seconds, if nothing is said
#
# With `whole=yes` the project is rewritten as one folder: every file in it but those that `left_out` names, tests included. Such
# a project is declared in projects/ and run by `fleet`. It does without `rewritten`, and may define
#   left_out        prints patterns of files that are not rewritten, one a line, each followed by the reason
#
# With SURVIVAL_CACHE=DIR the fetched originals are kept in DIR, and taken from there the next time.

set -euo pipefail

survival_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
survival_root=$(dirname "$survival_folder")
# What builds a folder, which is the last argument, and runs the suite there.
survival_check=("$(cd "$(dirname "$0")" && pwd)/$(basename "$0")" --check)
# What suites need beside the project.
survival_tools=${SURVIVAL_CACHE:-$survival_folder/results/cache}/tools
export NODE_PATH=$survival_tools/node_modules PYTHONPATH=$survival_tools/python PYTHONDONTWRITEBYTECODE=1
allotrope=${ALLOTROPE:-$survival_root/target/release/allotrope}

# Says something to the person who waits; standard output is for the table.
say() { printf '%s\n' "$*" >&2; }

# Ends the run because the outside world lacks something.
missing() {
    say "$project: $*"
    exit 3
}

# Refuses to go on without a command.
need() {
    command -v "$1" >/dev/null 2>&1 || missing "failed to find the command $1: install ${2:-it} and run this again"
}

# Debian's source package $1, unpacked and patched, as the folder $2. The mirror is the one that this machine already uses, and
# neither its lists nor its settings change.
debian_source() {
    need apt-get apt
    need dpkg-source dpkg-dev
    local folder
    folder=$(mktemp -d)
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/source"
    # Updates of the security team come to the main archive as well, later but for longer.
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Label: Debian' |
        sort -u >"$folder/sources.list"
    [ -s "$folder/sources.list" ] || missing "failed to find a mirror of Debian in the settings of apt"
    local options=(-qq -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=-
        -o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root)
    (cd "$folder/source" && apt-get "${options[@]}" update && apt-get "${options[@]}" source --download-only "$1") >&2 ||
        missing "failed to fetch the source package $1"
    dpkg-source --no-check -x "$folder"/source/*.dsc "$folder/unpacked" >"$folder/log" 2>&1 ||
        missing "failed to unpack the source package $1: $(tail -n 1 "$folder/log")"
    # The record of the patches would only be rewritten a second time.
    rm -rf "$folder/unpacked/.pc"
    sed -n 's/^Version: //p' "$folder"/source/*.dsc | head -n 1 >"$folder/unpacked/.survival-version"
    cp -a "$folder/unpacked/." "$2"
    rm -rf "$folder"
}

# The files of Debian's binary packages $2 and more, without what they depend on, below the folder $1. Nothing is installed.
debian_files() {
    need apt-get apt
    local folder=$1
    shift
    mkdir -p "$folder"
    (cd "$folder" && apt-get -qq -o APT::Sandbox::User=root download "$@") >&2 || missing "failed to fetch the packages $*"
    local package
    for package in "$folder"/*.deb; do
        dpkg-deb -x "$package" "$folder"
        rm "$package"
    done
}

# The source archive of the version $2 of the package $1 in Python's index, unpacked as the folder $3.
python_source() {
    local folder
    folder=$(mktemp -d)
    python3 -m pip download --quiet --no-deps --no-binary :all: --dest "$folder" "$1==$2" >&2 ||
        missing "failed to fetch $1 $2 with pip"
    tar -xzf "$folder"/*.tar.gz --strip-components 1 -C "$3"
    echo "$2" >"$3/.survival-version"
    rm -rf "$folder"
}

# The package $1 of the version $2 in the registry of npm, unpacked as the folder $3.
node_source() {
    need npm
    local folder
    folder=$(mktemp -d)
    (cd "$folder" && npm pack --silent "$1@$2") >&2 || missing "failed to fetch $1 $2 with npm"
    tar -xzf "$folder"/*.tgz --strip-components 1 -C "$3"
    echo "$2" >"$3/.survival-version"
    rm -rf "$folder"
}

# Packages of npm that a suite needs, beside the project: their words say nothing about its names. `NODE_PATH` leads to them.
# They are saved in a package.json, since npm removes what none names: the tools of one project would go when the next one's come.
node_tools() {
    need npm
    mkdir -p "$survival_tools"
    (cd "$survival_tools" && npm install --silent --no-audit --no-fund --no-package-lock --save-exact --prefix . "$@") >&2 ||
        missing "failed to install $* with npm"
}

# Packages of Python that a suite needs, beside the project.
python_tools() {
    mkdir -p "$survival_tools"
    python3 -m pip install --quiet --target "$survival_tools/python" "$@" >&2 || missing "failed to install $* with pip"
}

# Builds the folder $1 with CMake and the options $2 and more, and runs the tests that it declares. Warnings are nobody's concern.
cmake_suite() {
    cd "$1"
    shift
    cmake -S . -B built -DCMAKE_C_FLAGS='-w -O0' -DCMAKE_CXX_FLAGS='-w -O0' "$@"
    make -C built
    cd built && ctest --output-on-failure
}

# Compiles src/main/java and src/test/java of the folder $1, as the version `java_release` where it is set, and runs all tests;
# what comes from Debian lies in packages. The options $2 and more are JUnit's.
junit_suite() {
    cd "$1"
    shift
    local jars
    jars=$(find packages/usr/share/java -name '*.jar' | sort | tr '\n' ':')
    mkdir classes tests-compiled
    find src/main/java -name '*.java' >main-files
    find src/test/java -name '*.java' >test-files
    local compile=(javac -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -nowarn -encoding UTF-8 -proc:none -cp "classes:$jars"
        ${java_release:+--release "$java_release"})
    "${compile[@]}" -d classes @main-files
    "${compile[@]}" -d tests-compiled @test-files
    [ ! -d src/main/resources ] || cp -r src/main/resources/. classes
    [ ! -d src/test/resources ] || cp -r src/test/resources/. tests-compiled
    java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dfile.encoding=UTF-8 -cp "classes:tests-compiled:$jars" \
        org.junit.platform.console.ConsoleLauncher --disable-banner --details=summary --fail-if-no-tests --scan-classpath tests-compiled "$@"
}

# What JUnit 5 consists of, and the packages $2 and more, for junit_suite in the folder $1.
junit_packages() {
    need javac openjdk-17-jdk-headless
    local folder=$1
    shift
    debian_files "$folder/packages" junit4 junit5 libapiguardian-java libhamcrest-java libopentest4j-java \
        libopentest4j-reporting-java libpicocli-java libunivocity-parsers-java "$@"
}

# Replaces those of the files $3 and more in the folder $1 that cannot be read as they stand by what the preprocessor makes of
# them with the flags $2 of the compiler. The table says how many there were.
expand_unread() {
    local folder=$1 flags=$2 file expanded=0 count=0
    shift 2
    for file in "$@"; do
        count=$((count + 1))
        if "$allotrope" transform "$folder/$file" -o "$folder/$file.out" --manifest "$folder/$file.manifest" \
            --transform change-whitespace --order 1 --json | grep -q 'does not parse'; then
            # shellcheck disable=SC2086
            python3 "$survival_folder/expand.py" "$folder/$file" $flags >"$folder/$file.out"
            mv "$folder/$file.out" "$folder/$file"
            expanded=$((expanded + 1))
        fi
        rm -f "$folder/$file.out" "$folder/$file.manifest"
    done
    printf '%s of %s files cannot be read with their macros, and are rewritten as the preprocessor gives them.' \
        "$expanded" "$count" >"$folder/.survival-note"
}

# The first failing test, where a script has no better way to find it.
first_failure() {
    local found
    found=$(grep -m 1 -aE 'error:|Error:|FAILED|FAIL:|\*\*\* |not ok|Traceback|assert|Assertion|[Ff]ailed|differ' "$1" || true)
    [ -n "$found" ] || found=$(tail -n 1 "$1")
    printf '%s\n' "$found"
}

usage() {
    cat <<END
Rewrites $project with every transformation and runs its test suite after each; prints a table.

Usage: survival/$(basename "$0") [OPTIONS]

  --transform LIST  Only these transformations, separated by commas; "none" for chains alone
  --together N      Rewrite with N transformations before the suite runs, and one by one where it fails [default: 1]
  --skip-chains     No chains
  --chains N        How many chains of rewrites drawn from the whole catalogue [default: 10]
  --jobs N          How many rows at once [default: one a core]
  --seed N          The seed [default: 1]
  --results DIR     Keep finished rows in DIR, and do only those that are not there yet
  --retry           With --results: do the rows again that failed
  --keep            Leave the temporary folder behind, and say where it is
  --fetch DIR       Only fetch the original into DIR
  --check DIR       Only build DIR and run the suite there

Exit status: 0 every row passed, 1 a row failed, 2 the command line is wrong, 3 the project cannot be fetched or built.
END
}

survive() {
    local transform='' together=1 chains=10 jobs seed=1 keep='' results='' retry='' folder
    jobs=$(nproc)
    while [ $# -gt 0 ]; do
        case $1 in
        --transform | --together | --chains | --jobs | --seed | --results | --fetch | --check)
            [ $# -ge 2 ] || { say "$1 needs a value"; exit 2; }
            case $1 in
            --transform) transform=$2 ;;
            --together) together=$2 ;;
            --chains) chains=$2 ;;
            --jobs) jobs=$2 ;;
            --seed) seed=$2 ;;
            --results) results=$2 ;;
            # Not behind && or in a condition, where a failing command inside a function would not end it.
            --fetch)
                build_allotrope
                mkdir -p "$2"
                folder=$(cd "$2" && pwd)
                fetch "$folder"
                exit
                ;;
            --check)
                folder=$(cd "$2" && pwd)
                check "$folder"
                exit
                ;;
            esac
            shift 2
            ;;
        --skip-chains) chains=0 && shift ;;
        --retry) retry=yes && shift ;;
        --keep) keep=yes && shift ;;
        --help | -h) usage && exit ;;
        *) say "$1 is no option: see --help" && exit 2 ;;
        esac
    done
    scope=${scope:-each-file} order=${order:-200} chain_scope=${chain_scope:-each-function} chain_order=${chain_order:-10}
    survival_seed=$seed
    need python3
    build_allotrope

    survival_work=$(mktemp -d)
    if [ -n "$keep" ]; then
        say "working in $survival_work"
    else
        trap 'rm -rf "$survival_work"' EXIT
    fi
    failed_rows=$survival_folder/failed/$project
    survival_rows=$survival_work/rows
    if [ -n "$results" ]; then
        mkdir -p "$results/$project/rows"
        survival_rows=$(cd "$results/$project/rows" && pwd)
        failed_rows=$(cd "$results/$project" && pwd)/failed
        [ -z "$retry" ] || grep -lE '\| failed: ' "$survival_rows"/*.row 2>/dev/null | xargs -r rm
    else
        rm -rf "$failed_rows"
    fi
    mkdir -p "$survival_rows" "$survival_work/rows"

    local names='' name row=0 running=0
    if [ "$transform" != none ]; then
        names=$(transformations "$transform")
        [ -n "$names" ] || { say "no transformation for $language in $transform"; exit 2; }
    fi
    local rows=() lacks=''
    local group=()
    for name in $names; do
        if [ "$together" = 1 ] || [ -e "$survival_rows/$name.row" ]; then
            rows+=("$name $name $scope $order $seed")
            continue
        fi
        group+=("$name")
        if [ "${#group[@]}" = "$together" ]; then
            rows+=("$(together_row "${group[@]}")")
            group=()
        fi
    done
    [ "${#group[@]}" = 0 ] || rows+=("$(together_row "${group[@]}")")
    for ((row = 1; row <= chains; row++)); do
        rows+=("chain-$row all,-observable $chain_scope $chain_order $((seed + row))")
    done
    for row in "${rows[@]}"; do [ -e "$survival_rows/${row%% *}.row" ] || lacks=yes; done
    [ -n "$lacks" ] || return 0
    original
    heading
    # The rows are printed in their order, whichever ends first.
    local printed=0
    for row in "${rows[@]}"; do
        [ ! -e "$survival_rows/${row%% *}.row" ] || continue
        if [ "$running" -ge "$jobs" ]; then
            wait -n || true
            running=$((running - 1))
        fi
        # shellcheck disable=SC2086
        run_row $row &
        running=$((running + 1))
        print_rows
    done
    while [ "$running" -gt 0 ]; do
        wait -n || true
        running=$((running - 1))
        print_rows
    done
    conclude "${#rows[@]}"
}

build_allotrope() {
    [ -x "$allotrope" ] || (cd "$survival_root" && cargo build --release --package allotrope) >&2 ||
        missing "failed to build allotrope"
}

# Prints the rows that have come in since the last time, as far as none before them is missing.
print_rows() {
    local next
    while [ "$printed" -lt "${#rows[@]}" ]; do
        next=${rows[$printed]%% *}
        [ -e "$survival_rows/$next.row" ] || return 0
        cat "$survival_rows/$next.row"
        printed=$((printed + 1))
    done
}

# The original: fetched, and checked before anything is rewritten.
original() {
    local original=$survival_work/original
    if [ -n "${SURVIVAL_CACHE:-}" ] && [ -d "$SURVIVAL_CACHE/$project" ]; then
        cp -a "$SURVIVAL_CACHE/$project" "$original"
    else
        say "fetching $project"
        mkdir -p "$original"
        fetch "$original"
        if [ -n "${SURVIVAL_CACHE:-}" ]; then
            mkdir -p "$SURVIVAL_CACHE"
            cp -a "$original" "$SURVIVAL_CACHE/$project.part"
            mv "$SURVIVAL_CACHE/$project.part" "$SURVIVAL_CACHE/$project"
        fi
    fi
    stage
    if [ -e "$survival_rows/original" ]; then
        original_seconds=$(cut -d ' ' -f 1 "$survival_rows/original")
        limit=${limit:-$((original_seconds * 10 + ${patience:-60}))}
        return
    fi
    say "checking the original of $project"
    cp -a "$original" "$survival_work/unmodified"
    local start=$SECONDS
    if ! timeout --kill-after=10 "${limit:-1800}" "${survival_check[@]}" "$survival_work/unmodified" \
        >"$survival_work/unmodified.log" 2>&1; then
        tail -n 30 "$survival_work/unmodified.log" >&2
        keep_failed original "$survival_work/unmodified.log"
        missing "the original does not pass its own suite: $(first_failure "$survival_work/unmodified.log")"
    fi
    original_seconds=$((SECONDS - start))
    limit=${limit:-$((original_seconds * 10 + ${patience:-60}))}
    rm -rf "$survival_work/unmodified"
    [ ! -e "$original/.survival-version" ] || version=$(cat "$original/.survival-version")
    printf '%s %s %s %s\n' "$original_seconds" "$files" "${unread:-0}" "${version:-}" >"$survival_rows/original"
}

# A copy of nothing but the files to rewrite, so that one command mirrors them all.
stage() {
    local original=$survival_work/original path file
    if [ -n "${whole:-}" ]; then
        stage_whole
        return
    fi
    if [ -z "${ending:-}" ]; then
        case $language in
        c) ending='*.c' ;;
        cpp) ending='*.cpp' ;;
        java) ending='*.java' ;;
        python) ending='*.py' ;;
        javascript) ending='*.js' ;;
        *) missing "there is no language $language" ;;
        esac
    fi
    mkdir -p "$survival_work/stage"
    rewritten "$original" | while IFS= read -r path; do
        path=${path#"$original"/}
        if [ -d "$original/$path" ]; then
            (cd "$original" && find "$path" -type f -name "$ending" -print)
        else
            printf '%s\n' "$path"
        fi
    done | while IFS= read -r file; do
        mkdir -p "$survival_work/stage/$(dirname "$file")"
        cp "$original/$file" "$survival_work/stage/$file"
    done
    files=$(find "$survival_work/stage" -type f | wc -l)
    [ "$files" -gt 0 ] || missing "there is nothing to rewrite"
}

# The whole project: what is left out, and how many files can be read.
stage_whole() {
    survival_options=()
    local pattern reason
    while read -r pattern reason; do
        survival_options+=(--exclude "$pattern")
    done < <(left_out)
    (cd "$survival_work" && "$allotrope" transform original -o looked "${survival_options[@]}" --transform change-whitespace \
        --order 1 --scope each-file --manifest looked.jsonl --json) >"$survival_work/looked.json" 2>"$survival_work/looked.log" ||
        missing "failed to read the project: $(tail -n 1 "$survival_work/looked.log")"
    rm -rf "$survival_work/looked"
    read -r files unread < <(python3 -c '
import json, sys
summary = json.load(sys.stdin)
print(summary["inputs"], sum(summary["passed_through"].values()))
' <"$survival_work/looked.json")
    [ "$files" -gt "$unread" ] || missing "there is nothing to rewrite"
}

# What is not rewritten, where a project does not say.
left_out() { :; }

# Puts the rewritten files of the folder $1 into the folder $2. What has not changed keeps its time, for the sake of make.
put_changed() {
    python3 - "$1" "$2" <<'END'
import filecmp, os, shutil, sys
source, target = sys.argv[1:]
for folder, _, files in os.walk(source):
    for name in files:
        new = os.path.join(folder, name)
        old = os.path.join(target, os.path.relpath(new, source))
        if os.path.islink(old) or not os.path.exists(old) or filecmp.cmp(new, old, shallow=False):
            continue
        shutil.copyfile(new, old)
END
}

# The transformations of the language, without those that change the output, in the order of the catalogue.
transformations() {
    "$allotrope" list transformations --json | python3 -c '
import json, sys
language, chosen = sys.argv[1], [name for name in sys.argv[2].split(",") if name]
known = [json.loads(line) for line in sys.stdin]
for unknown in set(chosen) - {one["name"] for one in known}:
    sys.exit(f"{unknown} is no transformation")
for one in known:
    if language in one["languages"] and one["class"] != "observable" and (not chosen or one["name"] in chosen):
        print(one["name"])
' "$language" "$1"
}

heading() {
    printf '## %s\n\n' "$project"
    [ -z "${unread:-}" ] || printf '%s of the files cannot be read. ' "$unread"
    printf '%s files to rewrite; the original passes its suite in %s s. ' "$files" "$original_seconds"
    [ ! -e "$survival_work/original/.survival-note" ] || printf '%s ' "$(cat "$survival_work/original/.survival-note")"
    printf 'A row: %s, order %s; a chain: %s, order %s; seed %s.\n\n' \
        "$scope" "$order" "$chain_scope" "$chain_order" "$survival_seed"
    printf '| transformation | rewrites | files changed | suite |\n|---|---:|---:|---|\n'
}

# The row of several transformations.
together_row() {
    local list
    list=$(IFS=,; printf '%s' "$*")
    printf '%s' "together-$1 $list $scope $order $survival_seed"
}

# The rows of the transformations $2, which were applied together in the row $1 and have passed: each has its own rewrites.
member_rows() {
    python3 - "$survival_work/rows/$1/summary.json" "$2" "$survival_rows" <<'END'
import json, os, sys
summary, names, rows = json.load(open(sys.argv[1])), sys.argv[2].split(","), sys.argv[3]
for name in names:
    applied = summary["transformations"].get(name, {}).get("applied", 0)
    verdict = "passed" if applied else "no site"
    with open(f"{rows}/{name}.part", "w") as file:
        file.write(f"| {name} | {applied} | {summary['changed'] if applied else 0} | {verdict} |\n")
    os.replace(f"{rows}/{name}.part", f"{rows}/{name}.row")
END
}

# One row: the name $1 of the row, the transformations $2, the scope $3, the order $4 and the seed $5.
run_row() {
    local row=$1 work=$survival_work/rows/$1 rewrites changed verdict
    mkdir -p "$work"
    # Of a whole project all files are seen, and those that are left out are copied.
    local place=stage options=(--alone)
    [ -z "${whole:-}" ] || place=original options=("${survival_options[@]}")
    local command=("$allotrope" transform "$place" -o "$work/out" "${options[@]}" --manifest "$work/manifest.jsonl" --transform "$2"
        --scope "$3" --order "$4" --seed "$5" --threads 1 --json)
    printf '%q ' "${command[@]}" >"$work/command"
    if ! (cd "$survival_work" && "${command[@]}") >"$work/summary.json" 2>"$work/log"; then
        rewrites='' changed='' verdict="failed: $(tail -n 1 "$work/log")"
        keep_failed "$row" "$work/log"
    else
        read -r rewrites changed < <(python3 -c '
import json, sys
summary = json.load(sys.stdin)
print(summary["rewrites"], summary["changed"])
' <"$work/summary.json")
        if [ "$rewrites" = 0 ]; then
            verdict='no site'
        else
            cp -a "$survival_work/original" "$work/project"
            put_changed "$work/out" "$work/project"
            local status=0
            timeout --kill-after=10 "$limit" "${survival_check[@]}" "$work/project" >"$work/log" 2>&1 || status=$?
            if [ "$status" = 0 ]; then
                verdict=passed
            else
                if [ "$status" = 124 ] || [ "$status" = 137 ]; then
                    verdict="failed: no end within $limit s"
                else
                    verdict="failed: $(first_failure "$work/log")"
                fi
                keep_failed "$row" "$work/log"
            fi
        fi
    fi
    if [[ $row = together-* ]]; then
        if [[ $verdict != failed:* ]]; then
            member_rows "$row" "$2"
        else
            local name before=$verdict
            for name in ${2//,/ }; do
                run_row "$name" "$name" "$3" "$4" "$5"
                # The failure has its own row then; one that only happens together keeps this one.
                ! grep -q '| failed: ' "$survival_rows/$name.row" || verdict='one by one'
            done
            [ "$verdict" = 'one by one' ] || verdict=$before
        fi
    fi
    verdict=$(printf '%s' "$verdict" | tr '|\n\r' '/  ' | sed "s#$work/project/##g; s#$work/##g" | cut -c 1-200)
    printf '| %s | %s | %s | %s |\n' "$row" "$rewrites" "$changed" "$verdict" >"$work.part"
    rm -rf "$work"
    mv "$work.part" "$survival_rows/$row.row"
}

# Keeps what a person needs to find out why the row $1 failed, whose log is $2: the rewritten sources, the originals, the
# manifest and the log.
keep_failed() {
    local kept=$failed_rows/$1 work=$survival_work/rows/$1
    rm -rf "$kept"
    mkdir -p "$kept"
    cp "$2" "$kept/log"
    [ ! -d "$work/out" ] || cp -a "$work/out" "$kept/rewritten"
    [ ! -d "$survival_work/stage" ] || cp -a "$survival_work/stage" "$kept/stage"
    [ ! -e "$work/manifest.jsonl" ] || cp "$work/manifest.jsonl" "$work/command" "$kept"
}

# The last line, and the exit status.
conclude() {
    local failed
    failed=$(cat "$survival_rows"/*.row | grep -c '| failed: ' || true)
    printf '\n%s rows, %s failed, %s without a site; %s s.\n' "$1" "$failed" \
        "$(cat "$survival_rows"/*.row | grep -c '| no site |' || true)" "$SECONDS"
    if [ "$failed" -gt 0 ]; then
        say "what failed is kept in $failed_rows"
        exit 1
    fi
}
