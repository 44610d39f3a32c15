"""Writes down what transformers answers with relative positions, for small checkpoints whose numbers come from a formula.

    pip install torch==2.15.0 transformers==4.57.1 tokenizers==0.22.2
    python relative.py        # writes fixtures/checkpoints/relative

Versions 5 of transformers have no relative positions, so this is not a part of make.py. `states.json` has the states of encoders: the
test `relative` of this crate makes the same weights by the same formula, gives the same tokens to its encoder and compares the states.
The other files are a whole classifier with the vocabulary of parity/roberta-one and its answers, for the test `parity`.
"""

import json
import pathlib
import shutil

import torch
from tokenizers import Tokenizer
from transformers import RobertaConfig, RobertaForSequenceClassification, RobertaModel

CHECKPOINTS = pathlib.Path(__file__).resolve().parents[3] / "fixtures" / "checkpoints"
PLACE = CHECKPOINTS / "relative"
POSITIONS = 40
SIZES = {
    "vocab_size": 30,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 10,
    "max_position_embeddings": POSITIONS,
    "type_vocab_size": 1,
    "layer_norm_eps": 1e-5,
    "pad_token_id": 1,
}


def main():
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir()
    encoders()
    classifier()


def encoders():
    answers = []
    for kind in ["absolute", "relative_key", "relative_key_query"]:
        config = RobertaConfig(position_embedding_type=kind, attn_implementation="eager", **SIZES)
        model = RobertaModel(config, add_pooling_layer=False).eval()
        for name, weights in model.named_parameters():
            weights.copy_(formula(name, weights.shape))
        # A sequence of RoBERTa has two tokens less than there are positions, but only where these are absolute.
        longest = POSITIONS - 2 if kind == "absolute" else POSITIONS
        for length in [1, 2, 7, 16, 17, 33, longest]:
            ids = [0] + [(7 * at + 3 * length) % 25 + 4 for at in range(1, length)]
            states = model(input_ids=torch.tensor([ids])).last_hidden_state[0]
            answers.append({"kind": kind, "ids": ids, "graph": False, "states": numbers(states)})
        answers.append(with_graph(model, kind))
    (PLACE / "states.json").write_text("[\n" + ",\n".join(json.dumps(answer, separators=(",", ":")) for answer in answers) + "\n]\n")


def classifier():
    sizes = {**SIZES, "vocab_size": 284, "max_position_embeddings": 66}
    config = RobertaConfig(num_labels=3, position_embedding_type="relative_key_query", attn_implementation="eager", **sizes)
    model = RobertaForSequenceClassification(config).eval()
    for name, weights in model.named_parameters():
        weights.copy_(formula(name, weights.shape))
    model.save_pretrained(PLACE)
    for file in ["tokenizer.json", "tokenizer_config.json"]:
        shutil.copy(CHECKPOINTS / "parity" / "roberta-one" / file, PLACE)
    tokenizer = Tokenizer.from_file(str(PLACE / "tokenizer.json"))
    tokenizer.enable_truncation(64)
    inputs = json.loads((CHECKPOINTS / "parity" / "inputs.json").read_text())
    tokens = [tokenizer.encode(program["text"]).ids for program in inputs["programs"]]
    answers = [numbers(model(input_ids=torch.tensor([ids])).logits[0].softmax(-1)) for ids in tokens]
    answers = {"classes": answers, "tokens": tokens}
    (PLACE / "expected.json").write_text(json.dumps(answers, separators=(",", ":")) + "\n")


def with_graph(model, kind):
    """GraphCodeBERT's input: the last three tokens are nodes, whose position is 0, and not everything sees everything."""
    length, code = 21, 18
    ids = torch.tensor([[0] + [(5 * at) % 25 + 4 for at in range(1, length)]])
    sees = torch.tensor([[one == 0 or other == one or (one * 3 + other * 5) % 7 < 4 for other in range(length)] for one in range(length)])
    embedded = model.embeddings.word_embeddings(ids)
    for node in range(code, length):
        embedded[0, node] = embedded[0, [node - 17, node - 10]].mean(0)
    positions = torch.tensor([[2 + at if at < code else 0 for at in range(length)]])
    states = model(inputs_embeds=embedded, position_ids=positions, attention_mask=sees[None]).last_hidden_state[0]
    return {"kind": kind, "ids": ids[0].tolist(), "graph": True, "states": numbers(states)}


def formula(name, shape):
    """Numbers between -0.5 and 0.5, and for the scale of a norm around 1. A cube, because rows that rise alike are the same to a norm."""
    count = shape.numel()
    seed = sum((at + 1) * byte for at, byte in enumerate(name.encode())) % 1009
    every = torch.tensor([(at**3 + seed * at + seed**2) % 2003 / 2003 - 0.5 for at in range(count)], dtype=torch.float64)
    if name.endswith("LayerNorm.weight"):
        every = 1 + every / 2
    return every.to(torch.float32).reshape(shape)


def numbers(states):
    return [float(f"{number:.6g}") for number in states.flatten().tolist()]


if __name__ == "__main__":
    torch.set_num_threads(1)
    with torch.no_grad():
        main()
