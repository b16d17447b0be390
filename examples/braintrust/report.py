"""Reports the scores of a Braintrust experiment: `python3 report.py rows.jsonl [exact_match=gate] [factuality=judge]`.

The file has one row of the experiment per line, as the API's fetch and the SDK give them. A row is reported when its
metadata holds `sextant`: `{"recommendation_id": …, "model_id": …}`. Each argument names the source of one score; a
score without one is a judge's. SEXTANT_URL, SEXTANT_KEY: the service.
"""

import json
import os
import sys

from sextant_client import Sextant

SOURCES = ("gate", "judge", "human")


def sources_of(words):
    """The source by the name of a score. Raises SystemExit for a word of another form."""
    sources = {}
    for word in words:
        name, _, source = word.rpartition("=")
        if not name or source not in SOURCES:
            raise SystemExit(f"{word} is not <score>=gate, <score>=judge or <score>=human")
        sources[name] = source
    return sources


def verdicts_of(row, sources):
    """The mean of a row's scores, and their names, by source; a score that is null counts as missing."""
    by_source = {}
    for name, score in (row.get("scores") or {}).items():
        if isinstance(score, (int, float)) and not isinstance(score, bool) and 0 <= score <= 1:
            by_source.setdefault(sources.get(name, "judge"), {})[name] = score
    return {
        source: (sum(scores.values()) / len(scores), ", ".join(sorted(scores)))
        for source, scores in by_source.items()
    }


def own_of(row):
    """The decision in a row's metadata; None without one."""
    metadata = row.get("metadata")
    own = metadata.get("sextant") if isinstance(metadata, dict) else None
    return own if isinstance(own, dict) and own.get("recommendation_id") else None


def report(client, rows, sources):
    """Reports every row; how many verdicts were sent, and how many rows had none."""
    sent = skipped = 0
    for row in rows:
        own, verdicts = own_of(row), verdicts_of(row, sources)
        # A row that failed has no output that a score could be about.
        if own is None or not verdicts or row.get("error"):
            skipped += 1
            continue
        for source, (quality, names) in verdicts.items():
            sent += client.score(
                own["recommendation_id"], quality, source, model_id=own.get("model_id"), notes=f"Braintrust: {names}"
            )
    return sent, skipped


def rows_of(path):
    """The rows of a file, one JSON object per line."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def main(path, *words):
    sources = sources_of(words)
    # This program only scores: its one model is never run.
    client = Sextant(os.environ["SEXTANT_URL"], os.environ["SEXTANT_KEY"], ["unused"], "unused", queue_max=100_000)
    sent, skipped = report(client, rows_of(path), sources)
    client.flush(60)
    print(f"verdicts sent: {sent}, lost: {client.dropped}, rows without one: {skipped}")
    return 1 if client.dropped else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
