"""Reports the scores of a promptfoo evaluation to Sextant: `python3 report.py results.json`.

`promptfoo eval -o results.json` writes the file. A row is reported when its answer's metadata holds `sextant`, as
`provider.py` writes it. SEXTANT_URL, SEXTANT_KEY: the service.
"""

import json
import os
import sys

from sextant_client import Sextant

# Assertions that a model, or a trained classifier, decides; every other one is a check of code.
JUDGED = {
    "agent-rubric", "answer-relevance", "classifier", "context-faithfulness", "context-recall", "context-relevance",
    "conversation-relevance", "factuality", "g-eval", "llm-rubric", "max-score", "model-graded-closedqa",
    "model-graded-factuality", "moderation", "pi", "search-rubric", "select-best", "similar",
}


def source_of(component):
    """Who decided one assertion: "gate", "judge" or "human"."""
    kind = str((component.get("assertion") or {}).get("type") or "")
    kind = kind[4:] if kind.startswith("not-") else kind
    if kind == "human":
        return "human"
    return "judge" if kind in JUDGED or kind.startswith(("similar:", "trajectory:")) else "gate"


def verdicts_of(row):
    """The quality by source. A row that asserts nothing, or whose call failed, has none."""
    by_source = {}
    for component in ((row.get("gradingResult") or {}).get("componentResults")) or []:
        if isinstance(component, dict) and isinstance(component.get("score"), (int, float)):
            by_source.setdefault(source_of(component), []).append(component)
    verdicts = {}
    for source, components in by_source.items():
        mean = sum(min(max(each["score"], 0.0), 1.0) for each in components) / len(components)
        # One failed assertion fails the row, whatever the others say: that is no success.
        verdicts[source] = mean if all(each.get("pass") for each in components) else min(mean, 0.5)
    return verdicts


def own_of(row):
    """What `provider.py` wrote beside the answer; None for a row of another provider."""
    for metadata in ((row.get("response") or {}).get("metadata"), row.get("metadata")):
        own = metadata.get("sextant") if isinstance(metadata, dict) else None
        if isinstance(own, dict) and own.get("recommendation_id"):
            return own
    return None


def report(client, results):
    """Reports every row; how many verdicts were sent, and how many rows had none."""
    sent = skipped = 0
    for row in results["results"]["results"]:
        own, verdicts = own_of(row), verdicts_of(row)
        if own is None or not verdicts:
            skipped += 1
            continue
        for source, quality in verdicts.items():
            sent += client.score(own["recommendation_id"], quality, source, model_id=own.get("model_id"))
    return sent, skipped


def main(path):
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    # This program only scores: its one model is never run.
    client = Sextant(os.environ["SEXTANT_URL"], os.environ["SEXTANT_KEY"], ["unused"], "unused", queue_max=100_000)
    sent, skipped = report(client, results)
    client.flush(60)
    print(f"verdicts sent: {sent}, lost: {client.dropped}, rows without one: {skipped}")
    return 1 if client.dropped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
