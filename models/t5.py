#!/usr/bin/env python3
"""Prepares the training of a T5: models/t5.py FOLDER [SIZE].

Reads the corpora that models/prepare.py wrote to the folder and the vocabulary of `pretrained` there, and writes

  t5-new/           a T5 that knows nothing: random weights as T5 begins with them
  spans.jsonl.gz    programs without some of their spans, and the spans, for pre-training by span corruption

About one word or sign in seven is left out, in spans of three on average, each replaced by `<mask>`; the text to write is all spans, each after a
`<mask>`. A program is at most a thousand characters from the start of one of its lines. SIZE `tiny` is for trying it out.
All that is drawn has the seed 0.
"""
import array
import gzip
import json
import pathlib
import random
import re
import struct
import sys

SIZES = {"small": (384, 6, 1024, 6, 4), "tiny": (32, 2, 48, 1, 1)}
LONGEST = 1000


def checkpoint(folder, vocabulary, size):
    """Writes a T5 with random weights."""
    hidden, heads, inner, layers, decoder_layers = SIZES[size]
    width = hidden // heads
    tokenizer = json.loads((vocabulary / "tokenizer.json").read_text())
    special = {token["content"]: token["id"] for token in tokenizer["added_tokens"]}
    end, pad = special["</s>"], special["<pad>"]
    # A text is followed by the end and preceded by nothing, as T5 expects it.
    piece = [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}]
    tokenizer["post_processor"] = {
        "type": "TemplateProcessing", "single": piece,
        "pair": piece + [{"Sequence": {"id": "B", "type_id": 0}}, piece[1]],
        "special_tokens": {"</s>": {"id": "</s>", "ids": [end], "tokens": ["</s>"]}},
    }
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        (folder / name).write_text((vocabulary / name).read_text())
    # How texts are read comes with the vocabulary; what stands before it is about a head.
    settings = (vocabulary / "allotrope.toml").read_text()
    (folder / "allotrope.toml").write_text(settings[settings.index("[text]"):])
    words = len(tokenizer["model"]["vocab"])
    config = {
        "architectures": ["T5ForConditionalGeneration"], "model_type": "t5", "vocab_size": words, "d_model": hidden,
        "d_kv": width, "num_heads": heads, "d_ff": inner, "num_layers": layers, "num_decoder_layers": decoder_layers,
        "feed_forward_proj": "gated-gelu", "dense_act_fn": "gelu_new", "is_gated_act": True, "is_encoder_decoder": True,
        "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128, "layer_norm_epsilon": 1e-6,
        "dropout_rate": 0.1, "tie_word_embeddings": True, "pad_token_id": pad, "eos_token_id": end, "decoder_start_token_id": pad,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2))
    draw = random.Random(0)
    tensors = []

    def matrix(name, rows, columns, deviation):
        tensors.append((name, [rows, columns], array.array("f", (draw.gauss(0, deviation) for _ in range(rows * columns)))))

    def norm(name):
        tensors.append((name, [hidden], array.array("f", [1.0] * hidden)))

    def attention(name, is_first):
        matrix(f"{name}.q.weight", heads * width, hidden, (hidden * width) ** -0.5)
        for part in "kv":
            matrix(f"{name}.{part}.weight", heads * width, hidden, hidden ** -0.5)
        matrix(f"{name}.o.weight", hidden, heads * width, (heads * width) ** -0.5)
        if is_first:
            matrix(f"{name}.relative_attention_bias.weight", 32, heads, hidden ** -0.5)

    matrix("shared.weight", words, hidden, 1.0)
    for part, count in (("encoder", layers), ("decoder", decoder_layers)):
        for number in range(count):
            block = f"{part}.block.{number}.layer"
            attention(f"{block}.0.SelfAttention", number == 0)
            norm(f"{block}.0.layer_norm.weight")
            last = 1
            if part == "decoder":
                attention(f"{block}.1.EncDecAttention", False)
                norm(f"{block}.1.layer_norm.weight")
                last = 2
            for name in ("wi_0", "wi_1"):
                matrix(f"{block}.{last}.DenseReluDense.{name}.weight", inner, hidden, hidden ** -0.5)
            matrix(f"{block}.{last}.DenseReluDense.wo.weight", hidden, inner, inner ** -0.5)
            norm(f"{block}.{last}.layer_norm.weight")
        norm(f"{part}.final_layer_norm.weight")
    header, start = {}, 0
    for name, shape, numbers in tensors:
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, start + 4 * len(numbers)]}
        start += 4 * len(numbers)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(folder / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, _, numbers in tensors:
            if sys.byteorder == "big":
                numbers.byteswap()
            file.write(numbers.tobytes())


def corrupted(code, draw):
    """A program without some spans, and the spans."""
    starts = [0] + [place.end() for place in re.finditer("\n", code[:-LONGEST])]
    code = code[draw.choice(starts):][:LONGEST]
    pieces = re.findall(r"\w+|[^\w\s]|\s+", code)
    left, spans, place = [], [], 0
    while place < len(pieces):
        # One place in twenty begins a span, of three words on average.
        if pieces[place].isspace() or draw.random() >= 0.05:
            left.append(pieces[place])
            place += 1
            continue
        count = draw.choice((1, 2, 3, 4, 5))
        spans.append("".join(pieces[place:place + 2 * count - 1]).strip())
        left.append("<mask>")
        place += 2 * count - 1
    return "".join(left), " ".join(f"<mask> {span}" for span in spans)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-") or sys.argv[2:] not in ([], ["small"], ["tiny"]):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    checkpoint(folder / "t5-new", folder / "pretrained", sys.argv[2] if len(sys.argv) == 3 else "small")
    draw = random.Random(0)
    with open(folder / "spans.jsonl.gz", "wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        for corpus in sorted(folder.glob("corpus-*.jsonl.gz")):
            language = corpus.name.split("-")[1].split(".")[0]
            with gzip.open(corpus, "rt", encoding="utf-8", errors="replace") as lines:
                for number, line in enumerate(lines):
                    code, spans = corrupted(json.loads(line)["code"], draw)
                    if spans:
                        row = {"path": f"{language}-{number}", "name": "", "doc": spans, "code": code, "language": language}
                        packed.write((json.dumps(row) + "\n").encode())


main()
