"""A model of the transformers library behind a function, and the same weights behind the adapter `hf:`."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import allotrope
import pytest
from conftest import ROOT, command, rows

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small classifier with random weights."""
    folder = tmp_path_factory.mktemp("checkpoint")
    bpe = tokenizers.ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    bpe.train_from_iterator([str(row["func"]) for row in rows(30)], vocab_size=600, special_tokens=special)
    (folder / "parts").mkdir()
    bpe.save_model(str(folder / "parts"))
    tokenizer = transformers.RobertaTokenizerFast.from_pretrained(folder / "parts", model_max_length=126)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(5)
    config = transformers.RobertaConfig(
        vocab_size=600, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=128,
        type_vocab_size=1, num_labels=2, initializer_range=0.4, pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )
    model = transformers.RobertaForSequenceClassification(config).eval()
    # Its two classes are about as frequent, and it is not sure of either, so that there are examples to find.
    inputs = tokenizer([str(row["func"]) for row in rows(30)], truncation=True, padding=True, return_tensors="pt")
    with torch.inference_mode():
        scores = model(**inputs).logits
        model.classifier.out_proj.bias[1] += (scores[:, 0] - scores[:, 1]).median()
    model.save_pretrained(folder)
    return folder


def equal(one: Any, other: Any) -> bool:
    """The same, but for the last digits of what was computed by other instructions in another order."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 2e-5
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other)


def test_fifteen_lines_attack_a_classifier_with_the_records_of_the_adapter(checkpoint: Path, tmp_path: Path) -> None:
    program = ROOT / "docs/transformers_attack.py"
    lines = [line for line in program.read_text().splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    assert len(lines) <= 15
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(12)))
    given = [sys.executable, program, checkpoint, tmp_path / "data.jsonl", tmp_path / "function"]
    environment = {**os.environ, "TOKENIZERS_PARALLELISM": "false"}
    told = subprocess.run(given, capture_output=True, text=True, check=False, env=environment)
    assert told.returncode == 0, told.stderr
    said = command("attack", "--model", f"hf:{checkpoint}", "--data", tmp_path / "data.jsonl", "--language", "c", "--task", "vulnerability",
                   "--attack", "random-k,beam", "--budget", 100, "-o", tmp_path / "adapter")
    assert said.returncode == 0, said.stderr
    runs = [allotrope.Run(tmp_path / name) for name in ("function", "adapter")]
    # The adapter has embeddings, and the function has none.
    left_out = {"cosine", "seconds"}
    one, other = ([{key: value for key, value in record.raw.items() if key not in left_out} for record in run.records] for run in runs)
    assert len(one) == 24
    for mine, theirs in zip(one, other, strict=True):
        assert equal(mine, theirs), (mine, theirs)
    assert any(record["outcome"] == "success" for record in one) and runs[0].value("beam") == runs[1].value("beam")


def test_loaders_with_workers_give_one_epoch() -> None:
    from torch.utils.data import DataLoader

    programs = rows(24)
    variants = allotrope.augment(programs, "rename-local", seed=3, language="c")
    whole = list(variants)
    for workers in (0, 2):
        loaded = [row for batch in DataLoader(variants, batch_size=5, num_workers=workers, collate_fn=list) for row in batch]
        assert loaded == whole, workers


def test_loaders_take_streams() -> None:
    from torch.utils.data import DataLoader, IterableDataset

    programs = [{**row, "number": number} for number, row in enumerate(rows(24))]
    whole = list(allotrope.augment(programs, "rename-local", seed=3, language="c"))
    datasets = pytest.importorskip("datasets")
    variants = allotrope.augment(datasets.Dataset.from_list(programs).to_iterable_dataset(), "rename-local", seed=3, language="c")
    assert isinstance(variants, IterableDataset)
    for workers in (0, 2):
        loaded = [row for batch in DataLoader(variants, batch_size=5, num_workers=workers, collate_fn=list) for row in batch]
        assert sorted(loaded, key=lambda row: int(row["number"])) == whole, workers
