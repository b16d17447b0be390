"""A judge in the caller's program: the caller's model rates a share of answers in the background.
The judge sends tasks and answers only to models that the caller runs.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, NamedTuple, Optional, Tuple, TypeVar

from ._connection import bounded_s
from ._log import logger
from ._prompts import hash_of, name_of, pair_prompt, pair_quality, preference_of, rubric_prompt, score_of
from ._text import answer_text, field
from ._usage import is_amount

A = TypeVar("A")

_DAY_S = 86_400
# Number of possible hashes. An answer is selected if the hash of its recommendation's id is below
# `share` times `_HASHES`.
_HASHES = 2**32


class Judgement(NamedTuple):
    """The review of one answer that was selected for the judge."""

    recommendation_id: str
    model_id: Optional[str]
    # The prompt's name and version.
    prompt: str
    # How the review ended: "judged", "unreadable" (no verdict), "failed" (an error), "over_budget"
    # or "queue_full".
    end: str
    # Quality of the answer, from 0 to 1; None if there is no verdict.
    quality: Optional[float] = None
    # Whether the judge's verdicts in the two orders contradict each other, which counts as a tie.
    is_contradicted: bool = False
    # Cost of the judge's calls and the baseline's answer in US dollars; None if a part is unknown.
    cost_usd: Optional[float] = 0.0
    error: Optional[Exception] = None


class _Job(NamedTuple):
    recommendation_id: str
    model_id: Optional[str]
    task: str
    text: str


class Judged:
    """Passes answers on, and has a share of them judged later in another thread.

    - client: the client that reports the verdicts, a `Sextant` or an `AsyncSextant`.
    - judge: sends a prompt to the judge's model. The function `judge` returns a text, an SDK's
        answer, or a mapping with `text` and `cost_usd`.
    - share: share of the answers that are selected for the judge, from 0 to 1.
    - rubric: criteria of a good answer, which replace the usual criteria in the prompt.
    - against: runs the baseline model on a task. With `against`, the judge compares each answer
        with the baseline's, in both orders. With `against`, answers of the client's default model
        are not judged, because that model is the baseline.
    - budget_usd: money for judging per day (UTC), in US dollars. A review begins only if the rest of
        the day's budget covers the most expensive review so far. With a budget, a call without
        `cost_usd` ends the judging of that day.
    - on_judged: called with a `Judgement` for each selected answer, in any thread.
    - queue_max: maximum number of answers that wait for the judge, >= 1.

    Raises ValueError if `judge`, `share` or `budget_usd` is wrong.
    """

    def __init__(
        self,
        client: Any,
        judge: Callable[[str], Any],
        *,
        share: float = 0.05,
        rubric: Optional[str] = None,
        against: Optional[Callable[[str], Any]] = None,
        budget_usd: Optional[float] = None,
        on_judged: Optional[Callable[[Judgement], None]] = None,
        queue_max: int = 100,
    ) -> None:
        if not callable(judge) or not 0 <= share <= 1 or not (budget_usd is None or is_amount(budget_usd)):
            raise ValueError("judge is a function, share a number from 0 to 1, and budget_usd one >= 0")
        self._client = getattr(client, "client", client)
        self._judge, self._against, self._rubric = judge, against, rubric
        self._share, self._budget_usd, self._queue_max = share, budget_usd, queue_max
        self._on_judged = on_judged
        self._prompt = name_of("rubric-1" if against is None else "pair-1", rubric)
        self._begin()
        self._counts: Dict[str, int] = dict.fromkeys(
            ("judged", "unreadable", "failed", "over_budget", "queue_full", "contradicted"), 0
        )
        # Cost of all reviews, and of today's (UTC), in US dollars; None once a cost is unknown.
        self._total_usd: Optional[float] = 0.0
        self._today_usd: Optional[float] = 0.0
        self._dearest_usd = 0.0
        self._day = 0

    def _begin(self) -> None:
        """Makes an empty queue and a new lock, also in a fork, where the old lock may be held."""
        self._pid = os.getpid()
        self._changed = threading.Condition()
        self._waiting: Deque[_Job] = deque()
        self._thread: Optional[threading.Thread] = None

    def __call__(self, task: str, answer: A, of: Any = None) -> A:
        """Returns the given answer, which is judged later if it is selected.

        - of: the choice, Attempt or Verified that has the recommendation's id; by default `answer`.
        """
        try:
            self._take(task, answer, answer if of is None else of)
        except Exception:  # what the answer is made of is foreign, and its failure not the reader's
            logger.debug("an answer could not be read for its judge", exc_info=True)
        return answer

    def flush(self, timeout_s: float = 60.0) -> bool:
        """Waits at most `timeout_s` until all reviews have ended, and returns whether they have."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._thread is None and not self._waiting, bounded_s(timeout_s)
            )

    @property
    def totals(self) -> Dict[str, Any]:
        """Returns the numbers of reviews by how they ended and of contradicted ones, and the total
        cost in US dollars, None if a cost is unknown.
        """
        with self._changed:
            return {**self._counts, "cost_usd": self._total_usd}

    def _take(self, task: str, answer: Any, of: Any) -> None:
        source = field(of, "best") or of
        recommendation_id = field(source, "recommendation_id")
        model_id = field(source, "ran_model_id") or field(source, "model_id")
        best = field(answer, "best")
        text = answer_text(answer if best is None else field(best, "result"))
        if not isinstance(recommendation_id, str) or not recommendation_id or text is None:
            return
        if hash_of(recommendation_id) >= self._share * _HASHES:
            return
        if self._against is not None and model_id == self._client.default_model_id:
            return
        job = _Job(recommendation_id, model_id, task, text)
        if self._pid != os.getpid():
            self._begin()
        with self._changed:
            is_full = len(self._waiting) >= self._queue_max
            if not is_full:
                self._waiting.append(job)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="sextant-judge", daemon=True)
                    self._thread.start()
        if is_full:
            self._ended(job, "queue_full")

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._thread = None
                    self._changed.notify_all()
                    return
                job = self._waiting.popleft()
            try:
                self._review(job)
            except Exception:  # the next ones must have their turn
                logger.exception("a review failed")

    def _review(self, job: _Job) -> None:
        today = int(time.time() // _DAY_S)
        if today != self._day:
            self._day, self._today_usd = today, 0.0
        if self._budget_usd is not None:
            left = None if self._today_usd is None else self._budget_usd - self._today_usd
            if left is None or left <= 0 or self._dearest_usd > left:
                return self._ended(job, "over_budget")
        bills: Dict[str, Optional[float]] = {"usd": 0.0}

        def ask(model: Callable[[str], Any], words: str) -> str:
            said = model(words)
            cost, before = field(said, "cost_usd"), bills["usd"]
            bills["usd"] = before + cost if before is not None and is_amount(cost) else None
            return answer_text(said) or ""
        quality, is_contradicted, error = None, False, None
        try:
            quality, is_contradicted = self._verdict(job, ask)
        except Exception as problem:  # of the caller's own models, who hears of it
            error = problem
        usd = bills["usd"]
        self._total_usd = None if self._total_usd is None or usd is None else self._total_usd + usd
        self._today_usd = None if self._today_usd is None or usd is None else self._today_usd + usd
        self._dearest_usd = max(self._dearest_usd, usd or 0.0)
        if quality is not None:
            notes = f"{self._prompt}, contradicted" if is_contradicted else self._prompt
            self._client.score(job.recommendation_id, quality, "judge", model_id=job.model_id, notes=notes)
        end = "judged" if quality is not None else "unreadable" if error is None else "failed"
        self._ended(job, end, quality=quality, is_contradicted=is_contradicted, cost_usd=usd, error=error)

    def _verdict(
        self, job: _Job, ask: Callable[[Callable[[str], Any], str], str]
    ) -> Tuple[Optional[float], bool]:
        """Returns the judged quality, and whether the two verdicts contradict each other."""
        about = (job.recommendation_id, job.task)
        if self._against is None:
            return score_of(ask(self._judge, rubric_prompt(*about, job.text, self._rubric))), False
        other = ask(self._against, job.task)
        if not other:  # every answer would win against an empty one
            raise ValueError("the baseline's answer has no text")
        one = preference_of(ask(self._judge, pair_prompt(*about, job.text, other, self._rubric)), 1)
        two = preference_of(ask(self._judge, pair_prompt(*about, other, job.text, self._rubric)), 2)
        if one is None or two is None:
            return None, False
        return pair_quality((one + two) / 2), one * two < 0

    def _ended(self, job: _Job, end: str, **rest: Any) -> None:
        judgement = Judgement(job.recommendation_id, job.model_id, self._prompt, end, **rest)
        with self._changed:
            self._counts[end] += 1
            self._counts["contradicted"] += judgement.is_contradicted
        try:
            if self._on_judged is not None:
                self._on_judged(judgement)
        except Exception:  # the callback is the caller's, and so is its failure
            logger.exception("on_judged failed")
