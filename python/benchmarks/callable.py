"""What it costs that a model is a Python function.

    python callable.py CHECKPOINT [--programs 2000] [--repeat 3]

CHECKPOINT is a classifier in the layout of transformers. The same attack is done on `hf:CHECKPOINT`, on functions that call the same
model and its embeddings, so that what is more is the road through Python, on a function that answers without looking, and, where torch is
installed, on the classifier of transformers.
"""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import allotrope


def programs(count: int) -> list[dict[str, object]]:
    """Small functions, each of them different."""
    text = "int f{0}(int *values, int count) {{ int total = {0}; for (int i = 0; i < count; i++) total += values[i]; return total; }}"
    return [{"func": text.format(number), "target": number % 2} for number in range(count)]


def with_torch(checkpoint: str) -> "allotrope.Model | None":
    try:
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
    except ImportError:
        return None
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    classifier = AutoModelForSequenceClassification.from_pretrained(checkpoint).eval()

    def model(batch: list[str]) -> "torch.Tensor":
        with torch.inference_mode():
            return classifier(**tokenizer(batch, truncation=True, padding=True, return_tensors="pt")).logits.softmax(-1)

    return allotrope.Model(model, name="torch", varies=False)


def around(name: str) -> "allotrope.Model":
    opened = allotrope.open_model(name, language="c")
    return allotrope.Model(opened.predict, embed=opened.embed, name="function", varies=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    name = f"hf:{Path(given.checkpoint).resolve()}"
    # Each is opened anew for each run, and within its time, as the adapter is.
    models: dict[str, Callable[[], object]] = {
        "adapter": lambda: name,
        "function around it": lambda: around(name),
        "function, no model": lambda: allotrope.Model(lambda batch: [[0.9, 0.1] for _ in batch], name="none", varies=False),
    }
    if with_torch(given.checkpoint):
        models["function with torch"] = lambda: with_torch(given.checkpoint)
    rows = programs(given.programs)
    options = {"language": "c", "code": "func", "label": "target", "labels": ["safe", "vulnerable"], "task": "vulnerability"}
    print(f"{given.programs} programs, {os.cpu_count()} cores; the best of {given.repeat}")
    for title, model in models.items():
        best = (float("inf"), float("inf"))
        for _ in range(given.repeat):
            with TemporaryDirectory() as folder:
                begin, used = time.perf_counter(), time.process_time()
                run = allotrope.attack(model(), rows, "random-k", budget=20, output=folder, **options)
                best = min(best, (time.process_time() - used, time.perf_counter() - begin))
        queries = sum(record.queries for record in run.records)
        cpu, seconds = best
        print(f"{title:20} {queries} queries, {1e6 * seconds / queries:7.0f} us each, {1e6 * cpu / queries:7.0f} us of a core")


if __name__ == "__main__":
    main()
