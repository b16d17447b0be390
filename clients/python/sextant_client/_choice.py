"""A choice runs its model, after a provider's fault the next models, and reports their calls."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, TypeVar, Union

from ._log import logger
from ._outage import PARAMETERS, fault_of, retry_after_ms_of, status_of
from ._shape import is_dict
from ._shared import LeftOut, Shared
from ._transport import BUDGET_EXHAUSTED
from ._usage import Usage, measurements, usage_of
from .wire import RankedModel, RecommendResponse

A = TypeVar("A")
UsageReader = Callable[[Any], Optional[Usage]]


class Chosen(NamedTuple):
    """The model that a choice runs first, and why."""

    model_id: str
    # "service" if the service chose the model, otherwise "default".
    source: str
    # Why the service did not choose the model; None if `source` is "service".
    reason: Optional[str]
    # The reason in words; empty if `source` is "service".
    detail: str
    # The service's answer; None if the service gave no answer.
    recommendation: Optional[RecommendResponse]


class Routed(NamedTuple):
    """The routing of an answer, as plain values so that the answer can be copied and pickled."""

    # The recommendation's id, to report a verdict with; None if the service gave no answer.
    recommendation_id: Optional[str]
    # The model that ran, by Sextant's id.
    ran_model_id: str
    # `source`, `reason` and `detail` repeat the fields of the answer's `Choice`.
    source: str
    reason: Optional[str]
    detail: str


def spelled(model: RankedModel) -> str:
    """Returns the id by which the request named a model, else the model's id in the catalog."""
    return model.get("requested_model_id") or model["model_id"]


def _arm_name(model: RankedModel) -> str:
    """Returns a model's id and, if the model runs at a level of effort, `#` and the level."""
    effort = model.get("effort")
    return f"{model['model_id']}#{effort}" if effort else model["model_id"]


def read_usage(usage: Optional[UsageReader], answer: Any) -> Usage:
    """Returns the usage that a reader finds in an answer, or an empty usage."""
    try:
        return (usage(answer) if usage is not None else None) or Usage()
    except Exception:  # the caller still gets the answer
        logger.debug("the usage of an answer could not be read", exc_info=True)
        return Usage()


def close_quietly(parts: Any) -> Any:
    """Calls a stream's `aclose` or `close`, if it has one, and returns the method's result. An
    error of `aclose` or `close` is only logged.
    """
    try:
        close = getattr(parts, "aclose", None) or getattr(parts, "close", None)
        return None if close is None else close()
    except Exception:
        logger.debug("a stream could not be closed", exc_info=True)
        return None


class Call:
    """One call of a model, timed from its start. If the program ends a call twice, the second end
    is not reported.
    """

    def __init__(
        self, shared: Shared, left_out: LeftOut, recommendation_id: Optional[str], model_id: str
    ) -> None:
        self.model_id = model_id
        # The fault that ended the call: "outage", "model" (a refused model), "parameters" or None.
        self.fault: Optional[str] = None
        self._shared = shared
        self._left_out = left_out
        self._recommendation_id = recommendation_id
        self._began = time.monotonic()
        self._first_token_ms: Optional[float] = None
        self._is_reported = False

    def first_token(self) -> None:
        """Records the time of the first token; further calls have no effect."""
        if self._first_token_ms is None:
            self._first_token_ms = self._elapsed_ms()

    def succeeded(self, usage: Optional[Usage] = None) -> None:
        """Reports a successful call with latency and usage, and without a verdict."""
        self._left_out.succeeded(self.model_id)
        self._report({"outcome": "success"}, usage)

    def failed(self, error: BaseException, usage: Optional[Usage] = None) -> bool:
        """Reports a failed call, and returns whether another model may run.

        After a refused parameter, only the default model may run, and nothing is reported.
        """
        self.fault = fault = fault_of(error)
        may_go_on = fault is not None and self._left_out.faulted(self.model_id, fault, error)
        # A refused parameter shows nothing about the model's quality, so it is not reported.
        self._is_reported = self._is_reported or fault == PARAMETERS
        # The error's text is not reported, because the text may hold the prompt.
        status = status_of(error)
        notes = type(error).__name__ + ("" if status is None else f" {status}")
        cause = None if fault is None else "infra"
        said = {"provider_status": status, "retry_after_ms": retry_after_ms_of(error)}
        self._report({"outcome": "failure", "error_cause": cause, **said, "notes": notes}, usage)
        return may_go_on

    def abandoned(self, usage: Optional[Usage] = None) -> None:
        """Reports that the caller gave the call up, with the usage so far."""
        self._report({"outcome": "partial", "notes": "abandoned by the caller"}, usage)

    def _elapsed_ms(self) -> float:
        return (time.monotonic() - self._began) * 1_000

    def _report(self, fields: Dict[str, Any], usage: Optional[Usage]) -> None:
        if self._is_reported or self._recommendation_id is None:
            return
        self._is_reported = True
        measured = Usage(latency_ms=self._elapsed_ms(), time_to_first_token_ms=self._first_token_ms)
        took = measured.updated(usage)
        if took.cost_usd is None:
            took = took._replace(cost_usd=self._shared.price_of(self.model_id, took))
        about = {"recommendation_id": self._recommendation_id, "chosen_model_id": self.model_id}
        self._shared.report({**about, "evidence_source": "none", **measurements(took), **fields})


class Choice:
    """The model to run for one task. Only one thread at a time may run a choice."""

    def __init__(
        self, shared: Shared, chosen: Chosen, conversation_id: Optional[str], parameters: str = ""
    ) -> None:
        self.model_id, self.source, self.reason, self.detail, self.recommendation = chosen
        # The recommendation's id; None if the service gave no answer, so that nothing is reported.
        answer = self.recommendation
        self.recommendation_id: Optional[str] = None if answer is None else answer["recommendation_id"]
        self._shared = shared
        self._conversation_id = conversation_id
        self._left_out = LeftOut(shared, parameters)
        self._named: List[str] = [self.model_id]
        self._last: Optional[Call] = None
        shared.began(self.model_id, self.recommendation_id, conversation_id)

    def __repr__(self) -> str:
        return f"Choice(model_id={self.model_id!r}, source={self.source!r}, reason={self.reason!r})"

    @property
    def ran_model_id(self) -> str:
        """The model of the newest call; before the first call, the chosen model."""
        return self.model_id if self._last is None else self._last.model_id

    def begin(self, model_id: Optional[str] = None) -> Call:
        """Starts a call of a model, which need not be the chosen one."""
        of = self.model_id if model_id is None else model_id
        self._named.append(of)
        self._shared.began(of, self.recommendation_id, self._conversation_id)
        self._last = Call(self._shared, self._left_out, self.recommendation_id, of)
        return self._last

    def next(self) -> Optional[str]:
        """Returns the next model to run; None if no model is left. `next` never returns a model
        that has run or that `next` has returned before. The recommendation's fallback model
        comes first, then models of providers not called, the default model, and the recommendation's
        other models. Equally ranked models run by falling predicted success. Under a
        guarantee, only the fallback and the guarantee's baseline run before the default. After a
        refused parameter, `next` returns only the default model.
        """
        is_misfit = self._last is not None and self._last.fault == PARAMETERS
        model_id = self._unnamed([self._shared.default_model_id] if is_misfit else self._following())
        if model_id is not None:
            self._named.append(model_id)
        return model_id

    @property
    def is_last(self) -> bool:
        """Whether no other model could run if the present model had an outage."""
        return self._unnamed(self._following()) is None

    def _unnamed(self, model_ids: Iterable[str]) -> Optional[str]:
        # If the budget is used up, no second model runs, because the budget may forbid it.
        if self.reason == BUDGET_EXHAUSTED:
            return None
        return next((each for each in model_ids if each not in self._named), None)

    def _following(self) -> Iterator[str]:
        """Yields the models that may run after a provider's fault, even models that have run already."""
        answer = None if self.reason == "shadow" else self.recommendation
        # Only an answer in full detail repeats the recommended model in `ranked`.
        ranked = [] if answer is None else [answer["recommended_model"], *answer["ranked"]]
        likeliest = sorted(ranked, key=lambda model: model.get("predicted_success") or 0.0, reverse=True)
        failed = {model.get("provider") for model in likeliest if spelled(model) in self._named}
        others = [model for model in likeliest if model.get("provider") not in failed]
        guarantee = None if answer is None else answer.get("guarantee")
        baseline = guarantee.get("baseline_model_id") if is_dict(guarantee) else None
        if baseline:
            others = [model for model in likeliest if _arm_name(model) == baseline]
        fallback = None if answer is None else answer.get("fallback_model")
        for model in others if fallback is None else [fallback, *others]:
            if self._shared.is_ours(spelled(model)) and not self._left_out.is_on(spelled(model)):
                yield spelled(model)
        rest = [self._shared.default_model_id, *map(spelled, likeliest)]
        yield from (each for each in rest if self._shared.is_ours(each) and not self._left_out.is_refused(each))

    def run(self, work: Callable[[str], A], *, usage: Optional[UsageReader] = usage_of) -> A:
        """Runs `work` with the model's id and, after a provider's fault, with the next models' ids.
        An error that is no provider fault is raised unchanged and not reported. `usage` reads the
        usage of the answer.
        """
        model_id = self.model_id
        while True:
            call = self.begin(model_id)
            try:
                answer = work(model_id)
            except Exception as error:
                following = self.after(call, error)
                if following is None:
                    raise
                model_id = following
            except BaseException:  # the program ends, or the task was cancelled
                call.abandoned()
                raise
            else:
                call.succeeded(read_usage(usage, answer))
                return answer

    def stream(
        self, work: Callable[[str], Iterable[A]], *, usage: Optional[UsageReader] = usage_of
    ) -> Iterator[A]:
        """Passes on the parts that `work` yields for the model's id, and measures them.

        If a provider's fault comes before the first part, the next model runs. If the reader stops
        before the end, the call is reported as abandoned. `usage` reads the usage of each part; values
        of later parts replace those of earlier parts.
        """
        model_id = self.model_id
        while True:
            call, took, is_begun = self.begin(model_id), Usage(), False
            parts: Optional[Iterable[A]] = None
            try:
                parts = work(model_id)
                for part in parts:
                    is_begun = True
                    call.first_token()
                    took = took.updated(read_usage(usage, part))
                    yield part
            except Exception as error:
                following = self.after(call, error, took, is_begun)
                if following is None:
                    raise
                model_id = following
            except BaseException:  # the reader left, or the program ends
                call.abandoned(took)
                raise
            else:
                call.succeeded(took)
                return
            finally:
                close_quietly(parts)

    def after(
        self, call: Call, error: Exception, took: Optional[Usage] = None, is_begun: bool = False
    ) -> Optional[str]:
        """Reports an outage or a refused model, and returns the next model to run. No model is
        next (None) if the error is no provider fault, the stream has begun, or no model may run.
        """
        may_go_on = fault_of(error) is not None and call.failed(error, took)
        return self.next() if may_go_on and not is_begun else None

    def routed(self, model_id: str) -> Routed:
        """Returns the routing to attach to an answer that the model `model_id` gave."""
        return Routed(self.recommendation_id, model_id, self.source, self.reason, self.detail)

    def score(
        self, quality: Union[float, bool, None], source: str = "gate", *, notes: Optional[str] = None
    ) -> bool:
        """Reports a verdict on the model that ran last; returns false if no report was queued."""
        return self._shared.score(self, quality, source, notes=notes)
