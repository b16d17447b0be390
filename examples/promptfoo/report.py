"""You learn how scores that you have already become verdicts: `python3 report.py results.json` reports promptfoo's.

`promptfoo eval -o results.json` writes the file. A row is reported when its answer's metadata holds `sextant`, as
`provider.py` writes it. SEXTANT_URL, SEXTANT_KEY: the service.
"""

import json
import os
import sys

from sextant_client import Sextant

# Assertions that a model, or a trained classifier, decides; every other one is a check of code.
JUDGED = ("agent-rubric answer-relevance classifier context-faithfulness context-recall context-relevance "
          "conversation-relevance factuality g-eval llm-rubric max-score model-graded-closedqa model-graded-factuality "
          "moderation pi search-rubric select-best similar").split()


def source_of(component):
    """Who decided one assertion: "gate", "judge" or "human"."""
    kind = str((component.get("assertion") or {}).get("type") or "")
    kind = kind[4:] if kind.startswith("not-") else kind
    return "human" if kind == "human" else "judge" if kind.split(":")[0] in (*JUDGED, "trajectory") else "gate"


def verdicts_of(row):
    """The quality by source. A row that asserts nothing, or whose call failed, has none."""
    components = ((row.get("gradingResult") or {}).get("componentResults")) or []
    scored = [each for each in components if isinstance(each, dict) and isinstance(each.get("score"), (int, float))]
    verdicts = {}
    for source in dict.fromkeys(map(source_of, scored)):
        own = [each for each in scored if source_of(each) == source]
        mean = sum(min(max(each["score"], 0.0), 1.0) for each in own) / len(own)
        # One failed assertion fails the row, whatever the others say: that is no success.
        verdicts[source] = mean if all(each.get("pass") for each in own) else min(mean, 0.5)
    return verdicts


def main(path):
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)["results"]["results"]
    # This program only scores: its one model is never run.
    client = Sextant(os.environ["SEXTANT_URL"], os.environ["SEXTANT_KEY"], ["unused"], "unused", queue_max=100_000)
    sent = skipped = 0
    for row in rows:
        own = ((row.get("response") or {}).get("metadata") or row.get("metadata") or {}).get("sextant") or {}
        verdicts = verdicts_of(row) if own.get("recommendation_id") else {}
        skipped += not verdicts
        for source, quality in verdicts.items():
            sent += client.score(own["recommendation_id"], quality, source, model_id=own.get("model_id"))
    client.flush(60)
    print(f"verdicts sent: {sent}, lost: {client.dropped}, rows without one: {skipped}")
    return 1 if client.dropped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
