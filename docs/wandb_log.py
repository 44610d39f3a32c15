"""Logs a run of attacks to Weights & Biases: allotrope attack … --json | python wandb_log.py PROJECT"""

import json
import sys

import wandb

found = json.load(sys.stdin)
with wandb.init(project=sys.argv[1], config={"folder": found["run"], "extent": found["extent"]}) as run:
    for attack in found["attacks"]:
        name = attack["attack"]
        measures = attack["measures"]["lines"]
        # What is undefined is null, and is not logged.
        run.log({f"{name}/{line['measure']}": line["value"] for line in measures if line["value"] is not None})
        run.log({f"{name}/targets: {outcome}": count for outcome, count in attack["outcomes"].items()})
