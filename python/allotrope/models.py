"""Models: Python functions, and those that Allotrope opens by name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

from allotrope import _native

__all__ = ["Batch", "Model", "OpenModel", "open_model"]

Batch = list[Any]
"""What a function gets: programs, or pairs `(program, program)` or `(program, text)`, depending on the data set."""

Function = Callable[[Batch], Any]


class Model:
    """A Python function as a model.

    The function gets a list of programs (or of pairs) and answers each, in order, with a list of the probabilities of the classes: as
    lists, as an array or a tensor with two dimensions, as the lists of `{"label": …, "score": …}` that a `transformers` pipeline makes
    with `top_k=None`, or as `{label: probability}`; the last two need `labels`. Models of names answer with lists of `(name,
    probability)`, models that write with texts.

    `name` and `version` say in records which model it is, and a run is resumed only with the same. `varies` says whether answers to the
    same program may differ, as those of any model that runs outside of Allotrope may: then flips are confirmed by further queries, and
    the share of answers that change is measured on more inputs. For a model that does not, `varies=False` saves these queries.
    `embed` is a function with a vector for each input.

    >>> model = Model(lambda batch: [{"good": 0.7, "bad": 0.3} for _ in batch], name="optimist", labels=["bad", "good"])
    >>> model.predict(["int x;"])
    [[0.3, 0.7]]
    """

    def __init__(
        self,
        function: Function,
        *,
        name: str | None = None,
        version: str = "",
        labels: Sequence[str] | None = None,
        varies: bool = True,
        embed: Function | None = None,
        batch: int = 64,
    ) -> None:
        if not callable(function):
            raise TypeError(f"a model is a name or a function of a batch, and not {type(function).__name__}")
        self.function = function
        self.name = name or _name_of(function)
        self.digest = hashlib.sha256(json.dumps([self.name, version]).encode()).hexdigest()
        self.labels = None if labels is None else [str(label) for label in labels]
        self.varies = varies
        self.batch = batch
        self._embed = embed

    def predict(self, inputs: Batch) -> list[Any]:
        """The answers of the function as plain lists."""
        return [_plain(answer, self.labels) for answer in _answers(self.function(inputs))]

    @property
    def embed(self) -> Function | None:
        """The embeddings of inputs as plain lists, where there is a function for them."""
        function = self._embed
        if function is None:
            return None
        return lambda inputs: [[float(number) for number in _listed(vector)] for vector in _answers(function(inputs))]

    def __repr__(self) -> str:
        return f"<model python:{self.name}>"


def _name_of(function: Function) -> str:
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    module = getattr(function, "__module__", None)
    return f"{module}.{name}" if module and module != "__main__" else str(name)


def _listed(values: Any) -> list[Any]:
    """Arrays and tensors as lists, with all digits of their numbers."""
    return list(values.tolist() if hasattr(values, "tolist") else values)


def _answers(values: Any) -> list[Any]:
    """What a function returned, one answer for each input."""
    if values is None or isinstance(values, (str, Mapping)) or not (hasattr(values, "tolist") or isinstance(values, Iterable)):
        kind = type(values).__name__
        logits = ": its `logits.softmax(-1)` is one" if isinstance(values, Mapping) and "logits" in values else ""
        raise TypeError(f"the function returned {kind} and not a list with an answer for each input{logits}")
    return _listed(values)


def _plain(answer: Any, labels: list[str] | None) -> Any:
    if isinstance(answer, str):
        return answer
    if isinstance(answer, dict) and "score" in answer and "label" in answer:
        raise ValueError("the pipeline answers with its best class only: call it with top_k=None")
    if isinstance(answer, dict):
        return _in_order(answer, labels)
    if not (hasattr(answer, "tolist") or isinstance(answer, Iterable)) or getattr(answer, "ndim", 1) == 0:
        raise TypeError(f"an answer is {answer!r}, and not a list with the probability of each class")
    values = _listed(answer)
    if values and isinstance(values[0], dict):
        return _in_order({value["label"]: value["score"] for value in values}, labels)
    if values and isinstance(values[0], (tuple, list)):
        return [(str(name), float(probability)) for name, probability in values]
    return [float(value) for value in values]


def _in_order(answer: dict[str, Any], labels: list[str] | None) -> list[float]:
    if labels is None:
        raise ValueError(f"the answers name their classes ({', '.join(answer)}): give Model their order with labels=")
    if set(labels) != set(answer):
        raise ValueError(f"the answers are about {', '.join(answer)}, but labels= is {', '.join(labels)}")
    return [float(answer[label]) for label in labels]


class OpenModel:
    """A model that Allotrope runs, see [`open_model`]. It is a function of a batch, too."""

    def __init__(self, name: str, language: str) -> None:
        self.name = name
        self.language = language
        identity, self.labels, self._predict, self._embed = _native.open_model(name)
        self.identity: dict[str, Any] = json.loads(identity)
        """What the model is: kind, place, digest, and whether its answers may vary."""

    def predict(self, inputs: Batch) -> list[Any]:
        """The answer to each program, or to each pair."""
        return self._predict(inputs, self.language)

    def embed(self, inputs: Batch) -> list[list[float]] | None:
        """The embedding of each input, if the model has an encoder."""
        return self._embed(inputs, self.language)

    __call__ = predict

    def __repr__(self) -> str:
        return f"<model {self.name}>"


def open_model(name: str, language: str = "c") -> OpenModel:
    """Opens a model by its name, KIND:WHERE, as `allotrope list models` shows them. `language` is that of the programs.

    >>> model = open_model("builtin:problems", language="java")
    >>> len(model.predict(["int f(int n) { return n; }"])[0]) == len(model.labels)
    True
    """
    return OpenModel(name, language)


AnyModel = Union[str, Model, OpenModel, Function]


def named(model: AnyModel) -> str | Model:
    """A name, or a function as a model."""
    if isinstance(model, OpenModel):
        return model.name
    return model if isinstance(model, (str, Model)) else Model(model)


def plan_name(model: str | Model) -> str:
    """What plans call a model."""
    return model if isinstance(model, str) else f"python:{model.name}"
