"""What the package magika itself says about texts.

Reads lines of JSON, each a text, and writes a line of JSON for each: the label of the model, not yet replaced by thresholds, and its
score; `null` where the package does not ask its model. The first line is the path of the model.

    pip install magika==1.0.3
"""

import json
import pathlib
import sys

import magika
from magika import Magika


def main():
    package = Magika()
    folder = pathlib.Path(magika.__file__).parent / "models" / package.get_model_name()
    print(json.dumps(str(folder / "model.onnx")))
    for line in sys.stdin:
        result = package.identify_bytes(json.loads(line).encode("utf-8"))
        label = str(result.dl.label)
        print(json.dumps(None if label == "undefined" else [label, result.score]))


if __name__ == "__main__":
    main()
