"""A model as a program: it reads one question a line as JSON, and answers each with the probabilities of the classes.

This one counts words. Put your own model where `probability` is.
"""

import json
import math
import re
import sys
import zlib


def probability(code):
    words = set(re.findall(r"\w+", code))
    weight = sum(zlib.crc32(word.encode()) % 200 - 100 for word in words) / 80
    return 1 / (1 + math.exp(-weight))


for line in sys.stdin:
    question = json.loads(line)
    p = probability(question["code"])
    print(json.dumps({"id": question["id"], "probabilities": [1 - p, p]}), flush=True)
