"""You learn how an experiment's scores become verdicts: `python3 report.py rows.jsonl [exact_match=gate] [factuality=judge]`.

The file has one row of a Braintrust experiment per line, as the API's fetch and the SDK give them. A row is reported
when its metadata holds `sextant`: `{"recommendation_id": …, "model_id": …}`. Each argument names the source of one
score; a score without one is a judge's. SEXTANT_URL, SEXTANT_KEY: the service.
"""

import json
import os
import sys

from sextant_client import Sextant

SOURCES = ("gate", "judge", "human")


def source_named(word):
    """The name of a score and its source."""
    name, _, source = word.rpartition("=")
    if not name or source not in SOURCES:
        raise SystemExit(f"{word} is not <score>=gate, <score>=judge or <score>=human")
    return name, source


def verdicts_of(row, sources):
    """The scores by source and name; a null score, and a row that failed, have none."""
    by_source = {}
    for name, score in ({} if row.get("error") else row.get("scores") or {}).items():
        if isinstance(score, (int, float)) and not isinstance(score, bool) and 0 <= score <= 1:
            by_source.setdefault(sources.get(name, "judge"), {})[name] = score
    return by_source


def main(path, *words):
    sources = dict(map(source_named, words))
    # This program only scores: its one model is never run.
    client = Sextant(os.environ["SEXTANT_URL"], os.environ["SEXTANT_KEY"], ["unused"], "unused", queue_max=100_000)
    sent = skipped = 0
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    for row in rows:
        own = (row.get("metadata") or {}).get("sextant") or {}
        verdicts = verdicts_of(row, sources) if own.get("recommendation_id") else {}
        skipped += not verdicts
        for source, scores in verdicts.items():
            quality, notes = sum(scores.values()) / len(scores), f"Braintrust: {', '.join(sorted(scores))}"
            sent += client.score(own["recommendation_id"], quality, source, model_id=own.get("model_id"), notes=notes)
    client.flush(60)
    print(f"verdicts sent: {sent}, lost: {client.dropped}, rows without one: {skipped}")
    return 1 if client.dropped else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
