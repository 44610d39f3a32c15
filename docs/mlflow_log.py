"""Logs a run of attacks to MLflow: allotrope attack … --json | python mlflow_log.py EXPERIMENT"""

import json
import re
import sys

import mlflow

found = json.load(sys.stdin)
mlflow.set_experiment(sys.argv[1])
with mlflow.start_run(run_name=found["run"]):
    mlflow.log_dict(found, "attack.json")
    for attack in found["attacks"]:
        name = attack["attack"]
        measures = attack["measures"]["lines"]
        # What is undefined is null, and is not logged. The names of metrics have no commas.
        known = {re.sub(r"[^\w./ -]", "", line["measure"]): line["value"] for line in measures if line["value"] is not None}
        mlflow.log_metrics({f"{name}/{measure}": value for measure, value in known.items()})
        mlflow.log_metrics({f"{name}/targets {outcome}": count for outcome, count in attack["outcomes"].items()})
