"""Makes the golden files: for every unit random arguments and what established programs say about them.

    pip install -r requirements.txt && python make.py

Each file has one case a line: {"in": arguments, "out": result}, null where the result is undefined. Where a library has the measure, the
library answers; where none has, a plain formulation in numpy does. The files are committed, so the tests need no Python.
"""

import json
import math
import random
import re
import sys
import warnings
from collections import Counter
from pathlib import Path

import nltk
import numpy as np
import sacrebleu
import scikit_posthocs
from rouge_score import rouge_scorer
from scipy import spatial, special, stats
from sklearn import metrics as sk
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

warnings.simplefilter("ignore")
HERE = Path(__file__).parent
CASES = 120


def plain(value):
    """Numpy's numbers as Python's, and what is no number as null."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return value


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def size(case, least=0, most=60):
    """Every size from the least on comes up, the small ones first."""
    return min(least + case, most) if case < 30 else random.randint(least, most)


def numbers(n, case=None):
    """Numbers with few ties, many ties, or all equal."""
    kind = random.choice(["normal", "normal", "tied", "skewed", "equal"]) if case is None else case
    if kind == "equal":
        return [random.randint(0, 3)] * n
    if kind == "tied":
        return [random.randint(0, 4) for _ in range(n)]
    if kind == "skewed":
        return [round(random.expovariate(1), 4) for _ in range(n)]
    return [round(random.gauss(0, 1), 4) for _ in range(n)]


def labels(case):
    n, classes = size(case), random.choice([1, 2, 2, 3, 7])
    truth = [random.randrange(classes) for _ in range(n)]
    predicted = [label if random.random() < 0.6 else random.randrange(classes) for label in truth]
    return predicted, truth


def flags(n, chance=0.5):
    return [random.random() < chance for _ in range(n)]


def probabilities(n, classes):
    rows = []
    for _ in range(n):
        raw = [random.random() ** 3 for _ in range(classes)]
        if random.random() < 0.1:
            raw[random.randrange(classes)] = 0.0
        raw[random.randrange(classes)] += 0.2
        rows.append([round(value / sum(raw), 6) for value in raw])
    return rows


WORDS = """the a returns name of user gets sets value list items adding added relational operators happily happiness dies died
agreed controlling hopping formalize electricity adjustment skies dying news succeed flies spied theology conditional radically
rational predication callousness vietnamization replacement e.g. 1,000.50 3-4 x-ray don't (foo) [bar] {baz} a/b c++ my_name
getName() "quoted" &quot;x&quot; &lt;tag&gt; 5. .5 end. Größe naïve 変数 α=β foo,bar 7,b hello! what? yes; no: @param #tag 100% $x ~y
<skipped> it's well-known - -- ... U.S.A. 3.14.15 enjoy enjoyment by sky feed sized fizzed falling hissing failing filing""".split()


def sentence(most=14):
    return " ".join(random.choice(WORDS) for _ in range(random.randint(0, most)))


def changed(text):
    words = text.split(" ")
    for _ in range(random.randint(0, 3)):
        place = random.randrange(len(words))
        action = random.choice(["put", "take", "replace", "swap"])
        if action == "put":
            words.insert(place, random.choice(WORDS))
        elif action == "take" and len(words) > 1:
            words.pop(place)
        elif action == "replace":
            words[place] = random.choice(WORDS)
        else:
            words[place], words[-1] = words[-1], words[place]
    return " ".join(words)


def name():
    parts = [random.choice(["get", "set", "Name", "HTTP", "user", "id", "2", "max", "Value", "is", "größe"]) for _ in
             range(random.randint(0, 4))]
    style = random.choice(["camel", "snake", "upper"])
    if style == "camel":
        return "".join(part if index == 0 else part[:1].upper() + part[1:] for index, part in enumerate(parts))
    return "_".join(parts) if style == "snake" else "_".join(parts).upper()


# Task metrics.


def accuracy(case):
    predicted, truth = labels(case)
    return {"predicted": predicted, "truth": truth}, sk.accuracy_score(truth, predicted) if truth else None


def confusion_table(case):
    predicted, truth = labels(case)
    classes = max(truth + predicted, default=-1) + 1
    counts = sk.confusion_matrix(truth, predicted, labels=range(classes)).ravel().astype(float) if truth else []
    return {"predicted": predicted, "truth": truth}, {"classes": classes, "counts": counts}


def precision_recall_f1(case):
    predicted, truth = labels(case)
    nothing = {"precision": None, "recall": None, "f1": None}
    if not truth:
        return {"predicted": [], "truth": []}, {"binary": nothing, "macro": nothing, "micro": nothing}

    def scores(**options):
        found = sk.precision_recall_fscore_support(truth, predicted, zero_division=np.nan, **options)[:3]
        return dict(zip(nothing, [value[0] if np.ndim(value) else value for value in found]))

    out = {"binary": scores(average=None, labels=[1]), "macro": scores(average="macro"), "micro": scores(average="micro")}
    return {"predicted": predicted, "truth": truth, "positive": 1}, out


def matthews_correlation(case):
    predicted, truth = labels(case)
    varies = len(set(truth)) > 1 and len(set(predicted)) > 1
    return {"predicted": predicted, "truth": truth}, sk.matthews_corrcoef(truth, predicted) if varies else None


def roc_auc(case):
    n = size(case)
    scores = [random.choice([0.0, 0.5, 1.0]) if random.random() < 0.3 else round(random.random(), 2) for _ in range(n)]
    truth = [random.random() < score for score in scores]
    return {"scores": scores, "truth": truth}, sk.roc_auc_score(truth, scores) if len(set(truth)) == 2 else None


def calibration_error(case):
    n, bins, mass = size(case), random.choice([1, 5, 10, 15, 20]), random.random() < 0.5
    confidence = [random.choice([0.0, 1.0, 0.5, 0.2]) if random.random() < 0.2 else round(random.random(), 3) for _ in range(n)]
    right = [random.random() < value for value in confidence]
    out = None
    if n:
        values, hits = np.array(confidence), np.array(right, dtype=float)
        if mass:
            order = np.lexsort((hits, values))
            parts = [part for part in np.array_split(order, bins) if len(part)]
        else:
            borders = np.array([i / bins for i in range(1, bins)])
            places = np.searchsorted(borders, values, side="left")
            parts = [np.flatnonzero(places == bin) for bin in range(bins) if (places == bin).any()]
        out = sum(len(part) / n * abs(hits[part].mean() - values[part].mean()) for part in parts)
    return {"confidence": confidence, "right": right, "bins": bins, "equal_mass": mass}, out


def mean_reciprocal_rank(case):
    n = size(case, most=20)
    ranked = [random.sample("abcdefgh", random.randint(0, 6)) for _ in range(n)]
    truth = [random.choice("abcdefgh") for _ in range(n)]
    out = mean(1 / (1 + row.index(label)) if label in row else 0 for row, label in zip(ranked, truth))
    return {"ranked": ranked, "truth": truth}, out


def percentage_mrr(case):
    n = size(case, most=20)
    predicted = [[[label, round(random.random(), 3)] for label in random.sample("abcdef", random.randint(0, 5))] for _ in range(n)]
    truth = [random.choice("abcdef") for _ in range(n)]
    return {"predicted": predicted, "truth": truth}, mean(dict(row).get(label, 0) for row, label in zip(predicted, truth))


def subtokens(text):
    text = re.sub(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", text)
    text = re.sub(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])|(?<=[A-ZÄÖÜ])(?=[A-ZÄÖÜ][a-zäöüß])", " ", text)
    return [word.lower() for word in re.split(r"[\W_]+", text) if word]


def subtoken_f1(case):
    n, sets = size(case, most=20), random.random() < 0.5
    truth = [name() for _ in range(n)]
    predicted = [text if random.random() < 0.3 else text + name() for text in truth]
    count = (lambda text: Counter(set(subtokens(text)))) if sets else (lambda text: Counter(subtokens(text)))
    triples = [((count(p) & count(t)).total(), count(p).total(), count(t).total()) for p, t in zip(predicted, truth)]
    hits, found, right = (sum(column) for column in zip(*triples)) if n else (0, 0, 0)
    share = lambda above, below: above / below if below else None
    out = {"precision": share(hits, found), "recall": share(hits, right), "f1": share(2 * hits, found + right),
           "mean_f1": mean(2 * h / (f + r) for h, f, r in triples if f + r)} if n else None
    return {"predicted": predicted, "truth": truth, "sets": sets}, out


def edit_distance_score(case):
    n = size(case, most=20)
    truth, predicted = [name() for _ in range(n)], [name() for _ in range(n)]
    out = mean(1 / (1 + nltk.edit_distance(p, t)) for p, t in zip(predicted, truth))
    return {"predicted": predicted, "truth": truth}, out


def exact_match(case):
    n = size(case, most=20)
    truth = [sentence(3) for _ in range(n)]
    predicted = [random.choice([text, text + "\n", " " + text, changed(text)]) for text in truth]
    return {"predicted": predicted, "truth": truth}, mean(p.strip() == t.strip() for p, t in zip(predicted, truth))


def texts(case):
    n = size(case, most=8)
    references = [[sentence() for _ in range(random.choice([1, 1, 1, 2, 3]))] for _ in range(n)]
    return [changed(random.choice(row)) for row in references], references


def bleu(case):
    predicted, references = texts(case)
    most = max(map(len, references), default=0)
    streams = [[row[place] if place < len(row) else None for row in references] for place in range(most)]
    out = sacrebleu.corpus_bleu(predicted, streams, force=True).score if predicted else None
    return {"predicted": predicted, "references": references}, out


def codexglue_words(text):
    text = " ".join(re.findall(r"[\w]+|[^\s\w]", text.strip().lower()))
    return re.sub(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])", r" \1 ", text).split()


def bleu_of_sentences(case):
    predicted, references = texts(case)

    def one(text, rows):
        words, rows = codexglue_words(text), [codexglue_words(row) for row in rows]
        total = 0
        for n in range(1, 5):
            grams = lambda words: Counter(tuple(words[i:i + n]) for i in range(len(words) - n + 1))
            most = Counter()
            for row in rows:
                most |= grams(row)
            smooth, least = int(n > 1), sys.float_info.min
            total += math.log((grams(words) & most).total() + smooth + least)
            total -= math.log(max(len(words) - n + 1, 0) + smooth + least)
        penalty = min(0, 1 - (min(map(len, rows)) + 1) / (len(words) + 1))
        return 100 * math.exp(total / 4 + penalty)

    return {"predicted": predicted, "references": references}, mean(map(one, predicted, references))


def rouge(case):
    n, stems = size(case, most=8), random.random() < 0.6
    truth = [sentence() for _ in range(n)]
    predicted = [changed(text) if random.random() < 0.7 else sentence() for text in truth]
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=stems)
    rows = [scorer.score(t, p) for p, t in zip(predicted, truth)]
    keys = {"rouge1": "rouge1", "rouge2": "rouge2", "rouge_l": "rougeL"}
    out = {key: mean(row[kind].fmeasure for row in rows) for key, kind in keys.items()} if n else None
    return {"predicted": predicted, "truth": truth, "stems": stems}, out


def code_search(case):
    n, codes, width, dot = size(case, most=12), random.randint(1, 12), random.randint(1, 4), random.random() < 0.5
    # Powers of two keep equal similarities equal, whatever the order of additions.
    vector = lambda: [random.choice([-2, -1, 0, 1, 2]) for _ in range(width)] if dot else [round(random.gauss(0, 1), 3) for _ in range(width)]
    queries, rows = [vector() for _ in range(n)], [vector() for _ in range(codes)]
    truth = [random.randrange(codes) for _ in range(n)]
    table = np.array(queries, dtype=float).reshape(n, width) @ np.array(rows, dtype=float).T
    if not dot:
        table = 1 - spatial.distance.cdist(np.array(queries).reshape(n, width), np.array(rows), "cosine") if n else table
    ranks = [int(np.argsort(-row, kind="stable").tolist().index(place)) + 1 for row, place in zip(table, truth)]
    out = {"ranks": ranks, "mrr": mean(1 / rank for rank in ranks), "recall": [mean(rank <= k for rank in ranks) for k in (1, 5)]}
    return {"queries": queries, "codes": rows, "truth": truth, "k": [1, 5], "dot": dot}, out


def jaccard_distance(case):
    n = size(case, most=10)
    first = [sentence(6) for _ in range(n)]
    second = [changed(text) for text in first]
    pairs = [(set(one.split()), set(other.split())) for one, other in zip(first, second)]
    return {"first": first, "second": second}, mean(1 - len(a & b) / len(a | b) for a, b in pairs if a | b)


# Attack metrics.


def attack_success_rate(case):
    n = size(case)
    right, flipped, valid = flags(n, random.random()), flags(n), flags(n)
    rows = [(f, v) for r, f, v in zip(right, flipped, valid) if r]
    out = {"raw": mean(f for f, _ in rows), "valid": mean(f and v for f, v in rows), "attacked": len(rows)} if rows else None
    return {"was_right": right, "flipped": flipped, "valid": valid}, out


def confidence_decrement(case):
    n = size(case, most=20)
    before = [round(random.random(), 3) for _ in range(n)]
    generated = [[round(random.random(), 3) for _ in range(random.randint(0, 4))] for _ in range(n)]
    return {"before": before, "generated": generated}, mean(max(0, b - min(g)) for b, g in zip(before, generated) if g)


def cost_per_target(case):
    n = size(case)
    cost, succeeded = [random.choice([random.randint(0, 500), 7]) for _ in range(n)], flags(n, random.random())

    def spread(values):
        if not values:
            return None
        quartiles = np.percentile(values, [0, 25, 50, 75, 100])
        keys = ["least", "lower_quartile", "median", "upper_quartile", "most"]
        return {"n": len(values), "mean": float(np.mean(values)), **dict(zip(keys, map(float, quartiles)))}

    won = [value for value, success in zip(cost, succeeded) if success]
    return {"cost": cost, "succeeded": succeeded}, {"all": spread(cost), "succeeded": spread(won)} if n else None


def robust_accuracy(case):
    n = size(case)
    right, flipped = flags(n, 0.8), flags(n)
    return {"was_right": right, "flipped": flipped}, mean(r and not f for r, f in zip(right, flipped))


# Quality of adversarial examples.


def identifier_change_rate(case):
    n = size(case)
    identifiers = [random.choice([0, random.randint(0, 30)]) for _ in range(n)]
    renamed = [random.randint(0, count) for count in identifiers]
    return {"renamed": renamed, "identifiers": identifiers}, sum(renamed) / sum(identifiers) if sum(identifiers) else None


def token_change_rate(case):
    n = size(case, most=8)
    original = [sentence(20).split() for _ in range(n)]
    variants = [changed(" ".join(row)).split() for row in original]
    tokens = sum(map(len, original))
    out = sum(nltk.edit_distance(one, other) for one, other in zip(original, variants)) / tokens if tokens else None
    return {"original": original, "changed": variants}, out


def average_edit_distance(case):
    n = size(case, most=20)
    before = [name() for _ in range(n)]
    after = [text if random.random() < 0.3 else name() for text in before]
    out = mean(nltk.edit_distance(one, other) for one, other in zip(before, after) if one != other)
    return {"before": before, "after": after}, out


def average_cosine_similarity(case):
    n, width = size(case, most=20), random.randint(1, 6)
    vectors = lambda: [[0] * width if random.random() < 0.05 else [round(random.gauss(0, 1), 3) for _ in range(width)] for _ in range(n)]
    before, after = vectors(), vectors()
    return {"before": before, "after": after}, mean(1 - spatial.distance.cosine(a, b) for a, b in zip(before, after) if any(a) and any(b))


def size_growth(case):
    n = size(case, most=20)
    sizes = lambda: [{"lines": random.randint(0, 40), "tokens": random.choice([0, random.randint(0, 300)])} for _ in range(n)]
    before, after = sizes(), sizes()
    added = lambda key: [b[key] - a[key] for a, b in zip(before, after)]
    tokens = sum(row["tokens"] for row in before)
    out = {"lines": float(np.mean(added("lines"))), "tokens": float(np.mean(added("tokens"))),
           "token_share": sum(added("tokens")) / tokens if tokens else None} if n else None
    return {"before": before, "after": after}, out


# Teacher and student.


def pair(case):
    n, classes = size(case, most=25), random.choice([2, 2, 3, 5])
    return probabilities(n, classes), probabilities(n, classes)


def label_loyalty(case):
    teacher, student = pair(case)
    hold = mean(np.argmax(t) == np.argmax(s) for t, s in zip(teacher, student))
    return {"teacher": teacher, "student": student}, {"loyalty": hold, "violation": 1 - hold} if teacher else None


def probability_loyalty(case):
    teacher, student = pair(case)
    delta = random.choice([0.5, 0.1, 1.0])
    forth = [float(special.rel_entr(t, s).sum()) for t, s in zip(teacher, student)]
    back = [float(special.rel_entr(s, t).sum()) for t, s in zip(teacher, student)]
    hold = mean(value <= delta for value in forth)
    out = {"loyalty": hold, "violation": 1 - hold, "from_teacher": forth, "from_student": back} if teacher else None
    return {"teacher": teacher, "student": student, "delta": delta}, out


def high_confidence_agreement(case):
    teacher, student = pair(case)
    tau = random.choice([0.8, 0.85, 0.9, 0.5])
    rows = [np.argmax(t) == np.argmax(s) and max(s) >= tau for t, s in zip(teacher, student) if max(t) >= tau]
    out = {"agreement": mean(rows), "violation": 1 - mean(rows), "n": len(rows)} if rows else None
    return {"teacher": teacher, "student": student, "tau": tau}, out


def calibration_agreement(case):
    n, bins = size(case), random.choice([10, 15, 20])
    confidence = [random.choice([0.5, 0.6, 1.0]) if random.random() < 0.2 else round(random.random(), 3) for _ in range(n)]
    teacher, student = flags(n, 0.7), flags(n, 0.6)
    distances = []
    for bin in range(bins):
        inside = [i for i, c in enumerate(confidence) if (bin / bins < c <= (bin + 1) / bins) or (bin == 0 and c == 0)]
        if inside:
            distances.append(abs(mean(teacher[i] for i in inside) - mean(student[i] for i in inside)))
    out = {"error": sum(distances) / bins, "over_filled": mean(distances), "filled": len(distances), "bins": bins} if n else None
    return {"confidence": confidence, "teacher_right": teacher, "student_right": student, "bins": bins}, out


def robustness_gap(case):
    attacks, tasks = size(case, most=6), random.randint(0, 6)
    rates = lambda: [round(random.random(), 3) for _ in range(attacks)]
    qualities = lambda: [[round(random.random(), 3) for _ in range(tasks)] for _ in range(attacks)]
    teacher, student, of_teacher, of_student = rates(), rates(), qualities(), qualities()
    gaps = [s - t for t, s in zip(teacher, student)]
    models = stats.wilcoxon(np.ravel(of_teacher), np.ravel(of_student)).pvalue if attacks and tasks else None
    treatments = [one + other for one, other in zip(of_teacher, of_student)]
    friedman = stats.friedmanchisquare(*treatments).pvalue if attacks > 2 and tasks else None
    out = {"gaps": gaps, "mean_gap": mean(gaps), "quality_of_models": models, "quality_of_attacks": friedman} if attacks else None
    return {"teacher": teacher, "student": student, "teacher_quality": of_teacher, "student_quality": of_student}, out


# Statistics.


def label_change_rate(case):
    original, mutants = random.randint(0, 3), [random.randint(0, 3) for _ in range(size(case, most=20))]
    out = float(np.mean(np.array(mutants) != original)) if mutants else None
    return {"original": original, "mutants": mutants}, out


def mutation_score(case):
    n, count, classes = size(case, most=25), random.randint(0, 6), random.randint(2, 5)
    row = lambda: [random.randrange(classes) for _ in range(n)]
    original, truth, mutants = row(), row(), [row() for _ in range(count)]
    out = None
    if n and count:
        truths, originals = np.array(truth), np.array(original)
        killed = sum(len(set(truths[(originals == truths) & (np.array(mutant) != truths)])) for mutant in mutants)
        rates = [np.mean([mutant[at] != original[at] for mutant in mutants]) for at in range(n)]
        out = {"score": killed / (count * classes), "mean_of_inputs": np.mean(rates), "mutants": count, "classes": classes}
    return {"original": original, "truth": truth, "mutants": mutants, "classes": classes}, out


def two_groups(case):
    kind = random.choice(["normal", "tied", "tied", "skewed", "equal"])
    first, second = numbers(size(case), kind), numbers(size(random.randint(0, 59)), kind)
    return first, [value + random.choice([0, 0, 1]) for value in second]


def wilcoxon_signed_rank(case):
    kind = random.choice(["normal", "tied", "tied", "equal"])
    method, zeros = random.choice(["auto", "auto", "normal", "exact"]), random.choice(["drop", "drop", "pratt", "split"])
    n = size(case, most=11 if method == "exact" else 60)
    # Halves and whole numbers have exact differences, so that ties are ties in every program.
    first = [round(4 * value) / 4 if kind == "tied" else value for value in numbers(n, kind)]
    second = [value - random.choice([0, 0.25, 0.5, -0.25, 1, 2]) for value in first] if kind == "tied" else numbers(n, kind)
    differences = np.array(first, dtype=float) - np.array(second, dtype=float)
    inside = {"first": first, "second": second, "method": method, "zeros": zeros}
    if not differences.any():
        return inside, None
    rule = {"drop": "wilcox", "pratt": "pratt", "split": "zsplit"}[zeros]
    how = {"auto": "auto", "normal": "asymptotic", "exact": stats.PermutationMethod(n_resamples=10**9)}[method]
    found = stats.wilcoxon(differences, zero_method=rule, correction=False, method=how)
    kept = differences if rule != "wilcox" else differences[differences != 0]
    ranks = stats.rankdata(abs(kept))
    empty = int((differences == 0).sum())
    ties = len(set(abs(kept))) < len(kept)
    exact = method == "exact" or (method == "auto" and n <= 50 and ((not ties and not empty) or n <= 13))
    half = ranks[kept == 0].sum() / 2 if rule == "zsplit" else 0
    positive, negative = ranks[kept > 0].sum() + half, ranks[kept < 0].sum() + half
    return inside, {"statistic": found.statistic, "p": found.pvalue, "n": n - empty, "zeros": empty, "is_exact": exact,
                    "rank_biserial": (positive - negative) / (positive + negative)}


def mann_whitney(case):
    method = random.choice(["auto", "auto", "normal", "exact"])
    first, second = two_groups(case)
    if method == "exact":
        first, second = first[:5], second[:5]
    inside = {"first": first, "second": second, "method": method}
    if not first or not second:
        return inside, None
    how = {"auto": "auto", "normal": "asymptotic", "exact": stats.PermutationMethod(n_resamples=10**9)}[method]
    found = stats.mannwhitneyu(first, second, method=how)
    ties = len(set(first + second)) < len(first + second)
    exact = method == "exact" or (method == "auto" and not ties and min(len(first), len(second)) <= 8)
    return inside, {"u": found.statistic, "p": found.pvalue, "n": [len(first), len(second)], "is_exact": exact}


def blocks(case):
    n, k = size(case, most=30), random.randint(2, 8)
    return [numbers(k, random.choice(["normal", "tied", "tied", "equal"])) for _ in range(n)]


def friedman(case):
    rows = blocks(case)
    n, k = len(rows), len(rows[0]) if rows else 0
    varies = any(len(set(row)) > 1 for row in rows)
    if k < 3 or not varies:
        return {"blocks": rows}, None
    chi, p = stats.friedmanchisquare(*np.array(rows).T)
    room = n * (k - 1) - chi
    f = (n - 1) * chi / room if room > 1e-9 and n > 1 else None
    f_p = stats.f.sf(f, k - 1, (k - 1) * (n - 1)) if f is not None else None
    ranks = stats.rankdata(rows, axis=1).mean(axis=0)
    return {"blocks": rows}, {"chi_squared": chi, "p": p, "f": f, "f_p": f_p, "mean_ranks": ranks, "n": n}


def nemenyi(case):
    rows = blocks(case)
    n, k = len(rows), len(rows[0]) if rows else 0
    if k < 3:
        return {"blocks": rows}, None
    unit = math.sqrt(k * (k + 1) / (12 * n))
    p = scikit_posthocs.posthoc_nemenyi_friedman(np.array(rows, dtype=float)).to_numpy()
    return {"blocks": rows}, {"mean_ranks": stats.rankdata(rows, axis=1).mean(axis=0), "p": p,
                              "critical_difference": unit * stats.studentized_range.isf(0.05, k, np.inf)}


def cliffs_delta(case):
    first, second = two_groups(case)
    out = None
    if first and second:
        delta = mean(float(np.sign(a - b)) for a in first for b in second)
        sizes = ["negligible", "small", "medium", "large"]
        out = {"delta": delta, "size": sizes[sum(abs(delta) >= limit for limit in (0.147, 0.33, 0.474))],
               "is_large_in_thesis": abs(delta) > 0.43}
    return {"first": first, "second": second}, out


def spearman(case):
    n = size(case)
    first = numbers(n)
    second = [value + random.gauss(0, 1) for value in first] if random.random() < 0.5 else numbers(n)
    second = [round(value, 4) for value in second]
    if len(set(first)) < 2 or len(set(second)) < 2:
        return {"first": first, "second": second}, None
    found = stats.spearmanr(first, second)
    return {"first": first, "second": second}, {"rho": found.statistic, "p": found.pvalue if n > 2 else None, "n": n}


def mcnemar_test(case):
    n = size(case)
    first, second = flags(n, random.random()), flags(n, random.random())
    counts = Counter(zip(first, second))
    one, other = counts[True, False], counts[False, True]
    out = None
    if one + other:
        table = [[counts[True, True], one], [other, counts[False, False]]]
        chi = mcnemar(table, exact=False, correction=True)
        # The correction of |b - c| = 0 is 1 here as in Edwards; statsmodels squares the same difference.
        out = {"first_only": one, "second_only": other, "p": mcnemar(table, exact=True).pvalue,
               "chi_squared": chi.statistic, "chi_squared_p": chi.pvalue}
    return {"first": first, "second": second}, out


def holm(case):
    values = [random.choice([0.0, 1.0, 0.05]) if random.random() < 0.1 else round(random.random() ** 3, 5) for _ in range(size(case))]
    return {"p": values}, multipletests(values, method="holm")[1] if values else None


def shapiro_wilk(case):
    values = numbers(size(case))
    out = None
    if len(values) >= 3 and len(set(values)) > 1:
        found = stats.shapiro(values)
        out = {"w": found.statistic, "p": found.pvalue, "n": len(values)}
    return {"values": values}, out


def bootstrap(case):
    values, method, level = numbers(size(case, most=40)), random.choice(["percentile", "bca"]), random.choice([0.9, 0.95])
    if not values:
        return {"values": [], "resampled": [1.0], "method": method, "level": level}, None
    generator = np.random.default_rng(case)
    resampled = [round(float(np.mean(generator.choice(values, len(values)))), 6) for _ in range(80)]
    out = {"value": float(np.mean(values)), "n": len(values), "low": None, "high": None}
    if len(values) > 1 and not (method == "bca" and len(set(values)) == 1):
        given = stats.bootstrap((values,), np.mean, n_resamples=1, random_state=0)
        given.bootstrap_distribution = np.array(resampled)
        found = stats.bootstrap((values,), np.mean, n_resamples=0, bootstrap_result=given, method=method,
                                confidence_level=level, vectorized=False).confidence_interval
        out.update(low=found.low, high=found.high)
    return {"values": values, "resampled": resampled, "method": method, "level": level}, out


def wilson(case):
    n, level = size(case, most=400), random.choice([0.9, 0.95, 0.99])
    successes = random.choice([0, n, random.randint(0, n), random.randint(0, n)])
    if n == 0:
        return {"successes": 0, "n": 0, "level": level}, None
    found = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    return {"successes": successes, "n": n, "level": level}, {"value": successes / n, "n": n, "low": found.low, "high": found.high}


UNITS = [accuracy, attack_success_rate, average_cosine_similarity, average_edit_distance, bleu, bleu_of_sentences,
         calibration_agreement, calibration_error, code_search, confidence_decrement, confusion_table, cost_per_target,
         edit_distance_score, exact_match, high_confidence_agreement, identifier_change_rate, jaccard_distance, label_change_rate,
         label_loyalty, matthews_correlation, mean_reciprocal_rank, mutation_score, percentage_mrr, precision_recall_f1, probability_loyalty,
         robust_accuracy, robustness_gap, roc_auc, rouge, size_growth, subtoken_f1, token_change_rate, bootstrap, cliffs_delta, friedman,
         holm, mann_whitney, mcnemar_test, nemenyi, shapiro_wilk, spearman, wilcoxon_signed_rank, wilson]

for unit in UNITS:
    title = unit.__name__.removesuffix("_test").replace("_", "-")
    if sys.argv[1:] and title not in sys.argv[1:]:
        continue
    random.seed(title)
    np.random.seed(1)
    with open(HERE / f"{title}.jsonl", "w", encoding="utf-8") as file:
        for case in range(CASES):
            arguments, expected = unit(case)
            line = {"in": plain(arguments), "out": plain(expected)}
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n")
    print(title)
