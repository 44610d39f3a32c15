"""A model as a program: it reads one JSON query per line, and answers each with the class probabilities.

This one hashes words. Replace `probability` with your own model.
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
    query = json.loads(line)
    p = probability(query["code"])
    print(json.dumps({"id": query["id"], "probabilities": [1 - p, p]}), flush=True)
