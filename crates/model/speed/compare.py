"""Runs the same models over the same inputs with PyTorch and with Allotrope, one after the other, and prints the ratio.

    cargo build --release -p allotrope-model --example speed
    pip install -r crates/model/speed/requirements.txt
    python3 crates/model/speed/compare.py [--data DIR] [--pairs N] [--functions N] [--threads N]

The time is CPU time (user and system), so that other work on the machine counts little. PyTorch gets token ids that were made before;
Allotrope starts from the text. The students are padded to 400 tokens, as the script that was published with them does, and once
more to the longest of each batch of 32.
"""

import argparse
import gzip
import json
import os
import resource
import subprocess
import tempfile
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from transformers import RobertaConfig, RobertaForSequenceClassification, RobertaModel

ROOT = Path(__file__).resolve().parents[3]


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Student:
    """A published student as a transformers model."""

    def __init__(self, folder, is_pair):
        settings = json.load(open(folder / "config.json"))
        keys = ["vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "hidden_act",
                "max_position_embeddings", "type_vocab_size", "layer_norm_eps", "pad_token_id", "bos_token_id", "eos_token_id"]
        config = RobertaConfig(**{key: settings[key] for key in keys}, num_labels=2)
        weights = load_file(folder / "model.safetensors")
        prefix = "encoder.roberta." if any(key.startswith("encoder.roberta.") for key in weights) else "encoder."
        self.encoder = RobertaModel(config, add_pooling_layer=False)
        own = {key[len(prefix):]: value for key, value in weights.items() if key.startswith(prefix) and "pooler" not in key}
        own = {key: value for key, value in own.items() if not key.startswith("classifier")}
        missing = self.encoder.load_state_dict(own, strict=False)
        assert all("position_ids" in key for key in missing.missing_keys), missing
        head = "encoder.classifier." if not is_pair else "classifier."
        self.dense = weights[head + "dense.weight"], weights[head + "dense.bias"]
        self.out = weights[head + "out_proj.weight"], weights[head + "out_proj.bias"]
        self.encoder.eval()
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.is_pair = is_pair

    def ids(self, text):
        return [0] + self.tokenizer.encode(" ".join(text.split())).ids[:398] + [2]

    def run(self, rows, width):
        with torch.no_grad():
            answers = []
            for start in range(0, len(rows), 32):
                batch = rows[start:start + 32]
                flat = [ids for row in batch for ids in row]
                length = width or max(map(len, flat))
                ids = torch.tensor([row + [1] * (length - len(row)) for row in flat])
                states = self.encoder(input_ids=ids, attention_mask=ids.ne(1)).last_hidden_state[:, 0]
                states = states.reshape(len(batch), -1)
                scores = torch.tanh(states @ self.dense[0].T + self.dense[1]) @ self.out[0].T + self.out[1]
                answers += scores.softmax(-1)[:, 1].tolist()
        return answers


def timed(run, rounds):
    best = float("inf")
    for _ in range(rounds):
        start = cpu()
        run()
        best = min(best, cpu() - start)
    return best


def allotrope(model, rows, rounds, threads):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", delete=False) as file:
        file.write("\n".join(json.dumps(row) for row in rows))
    binary = ROOT / "target/release/examples/speed"
    environment = dict(os.environ, RAYON_NUM_THREADS=str(threads))
    output = subprocess.run([binary, model, file.name, str(rounds)], env=environment, check=True, capture_output=True)
    os.unlink(file.name)
    return json.loads(output.stdout)["cpu_seconds"]


def row(what, theirs, ours):
    print(f"| {what} | {theirs:.2f} | {ours:.2f} | {theirs / ours:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ALLOTROPE_DATA", ROOT.parent / "shared/data")))
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--functions", type=int, default=400)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    students = options.data / "students"
    settings = ROOT / "fixtures/checkpoints/students"
    print("| what | PyTorch, CPU s | Allotrope, CPU s | PyTorch / Allotrope |")
    print("|---|---:|---:|---:|")

    functions = {}
    for line in lines(options.data / "bigclonebench/functions.jsonl.gz"):
        entry = json.loads(line)
        functions[str(entry["idx"])] = entry["func"]
    pairs = [line.split()[:2] for line in lines(options.data / "bigclonebench/test.txt.gz")][::max(1, 4000 // options.pairs)]
    clone = Student(students / "compressor-codebert-clone", True)
    rows = [[clone.ids(functions[one]), clone.ids(functions[other])] for one, other in pairs]
    ours = allotrope(f"hf:{students}/compressor-codebert-clone?settings={settings}/codebert-clone.toml",
                     [{"code1": functions[one], "code2": functions[other]} for one, other in pairs], options.rounds, options.threads)
    row(f"clone student, {len(pairs)} pairs of the test set, padded to 400", timed(lambda: clone.run(rows, 400), 1), ours)
    row(f"clone student, {len(pairs)} pairs, padded to the longest of a batch", timed(lambda: clone.run(rows, None), 1), ours)

    devign = [json.loads(line)["func"] for line in lines(options.data / "devign/test.jsonl.gz")]
    some = devign[::max(1, len(devign) // options.functions)]
    student = Student(students / "compressor-codebert-vulnerability", False)
    model = f"hf:{students}/compressor-codebert-vulnerability?settings={settings}/codebert-vulnerability.toml"
    rows = [[student.ids(text)] for text in some]
    ours = allotrope(model, [{"code": text} for text in some], options.rounds, options.threads)
    row(f"vulnerability student, {len(some)} functions of the test set, padded to 400", timed(lambda: student.run(rows, 400), 1), ours)
    row(f"vulnerability student, {len(some)} functions, padded to the longest of a batch", timed(lambda: student.run(rows, None), 1), ours)

    full = [text for text in devign if len(student.ids(text)) == 400][:32]
    rows = [[student.ids(text)] for text in full]
    ours = allotrope(model, [{"code": text} for text in full], options.rounds + 2, options.threads)
    row("student, 32 x 400 tokens", timed(lambda: student.run(rows, 400), options.rounds + 2), ours)

    # RoBERTa base with random weights; the vocabulary of the student serves as its own.
    torch.manual_seed(0)
    config = RobertaConfig(vocab_size=1000, max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-5, num_labels=2,
                           pad_token_id=1, bos_token_id=0, eos_token_id=2)
    base = RobertaForSequenceClassification(config).eval()
    with tempfile.TemporaryDirectory() as folder:
        save_file({key: value.contiguous() for key, value in base.state_dict().items()}, f"{folder}/model.safetensors")
        config.save_pretrained(folder)
        Path(f"{folder}/tokenizer.json").write_bytes((students / "compressor-codebert-vulnerability/tokenizer.json").read_bytes())
        Path(f"{folder}/allotrope.toml").write_text("[text]\ncollapse-whitespace = true\nlimit = 256\n")
        ids = torch.tensor([student.ids(text)[:255] + [2] for text in full[:8]])
        ours = allotrope(f"hf:{folder}", [{"code": text} for text in full[:8]], options.rounds + 2, options.threads)

        def forward():
            with torch.no_grad():
                base(input_ids=ids, attention_mask=torch.ones_like(ids))

        row("RoBERTa base, 8 x 256 tokens", timed(forward, options.rounds + 2), ours)


main()
