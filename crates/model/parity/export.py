"""Exports one of the small random checkpoints as ONNX.

    pip install -r requirements.txt
    python export.py          # writes fixtures/checkpoints/parity/roberta-two/model.onnx

The tests of `onnx:` compare what the file answers with what transformers answered with the checkpoint itself.
"""

import pathlib

import onnx
import torch
from transformers import RobertaForSequenceClassification

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "fixtures" / "checkpoints" / "parity" / "roberta-two"


class Logits(torch.nn.Module):
    """The model with nothing but what a graph should have: two inputs and one output."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids=input_ids, attention_mask=attention_mask).logits


def main():
    model = RobertaForSequenceClassification.from_pretrained(FOLDER, attn_implementation="eager").eval()
    ids = torch.tensor([[0, 5, 6, 7, 8, 2], [0, 9, 10, 2, 1, 1]])
    rows, length = torch.export.Dim("rows"), torch.export.Dim("length", max=64)
    program = torch.onnx.export(
        Logits(model).eval(),
        (ids, (ids != 1).long()),
        input_names=["input_ids", "attention_mask"],
        output_names=["logits"],
        dynamic_shapes=({0: rows, 1: length}, {0: rows, 1: length}),
        dynamo=True,
    )
    onnx.save(without_remarks(program.model_proto), FOLDER / "model.onnx")


def without_remarks(model):
    """The exporter writes down where each node comes from, with the paths of the machine that it ran on."""
    model.ClearField("metadata_props")
    model.graph.ClearField("metadata_props")
    for part in [*model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output]:
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    for part in model.graph.initializer:
        part.ClearField("metadata_props")
    return model


if __name__ == "__main__":
    main()
