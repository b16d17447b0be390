"""Asks Sextant about the inputs of the recorded `rows.jsonl`, and reports their recorded scores.

The recorded decisions are another service's: each row that has one gets a decision that is made now. MODELS: the
models that may run, comma-separated; the first is the default.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import report
from sextant_client import Sextant

MODELS = os.environ.get("MODELS", "gpt-5.4-mini,gpt-5.5").split(",")


def main():
    client = Sextant(
        os.environ["SEXTANT_URL"],
        os.environ["SEXTANT_KEY"],
        models=MODELS,
        default_model_id=MODELS[0],
        deadline_ms=float(os.environ.get("SEXTANT_DEADLINE_MS", 400)),
        namespace="braintrust",
    )
    rows = [json.loads(line) for line in Path(__file__).with_name("rows.jsonl").read_text("utf-8").splitlines()]
    for row in rows:
        if "sextant" in row["metadata"]:
            choice = client.choose(row["input"])
            row["metadata"]["sextant"] = {"recommendation_id": choice.recommendation_id, "model_id": choice.model_id}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.jsonl")
        Path(path).write_text("\n".join(map(json.dumps, rows)), "utf-8")
        return report.main(path, "exact_match=gate")


if __name__ == "__main__":
    sys.exit(main())
