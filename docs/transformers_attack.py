"""Attacks a classifier of the transformers library: python transformers_attack.py CHECKPOINT DATA RUN"""

import sys

import allotrope
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

checkpoint, data, run = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
classifier = AutoModelForSequenceClassification.from_pretrained(checkpoint).eval()


@torch.inference_mode()
def model(programs):
    # One by one: the padding of a batch changes the last digits of its answers, and the model would not be one that does not vary.
    inputs = [tokenizer(program, truncation=True, return_tensors="pt") for program in programs]
    return torch.cat([classifier(**one).logits.softmax(-1) for one in inputs])


detector = allotrope.Model(model, name=checkpoint, varies=False)
found = allotrope.attack(detector, data, ["random-k", "beam"], output=run, budget=100, language="c", task="vulnerability")
print({attack: found.value(attack) for attack in ("random-k", "beam")})
