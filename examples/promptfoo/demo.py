"""Runs the rows of the recorded `results.json` through `provider.py`, and reports their recorded scores.

The recorded decisions are another service's: each row that has one gets the decision that was just made.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import provider
import report


def main():
    results = json.loads(Path(__file__).with_name("results.json").read_text("utf-8"))
    for row in results["results"]["results"]:
        if "metadata" in row["response"]:
            answer = provider.call_api(row["prompt"]["raw"], {}, {"vars": row["vars"]})
            row["response"]["metadata"] = answer["metadata"]
    provider.sextant.flush()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results.json")
        Path(path).write_text(json.dumps(results), "utf-8")
        return report.main(path)


if __name__ == "__main__":
    sys.exit(main())
