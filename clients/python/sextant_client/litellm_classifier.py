"""A classifier of LiteLLM's complexity router: the tier of a request is that of the model that Sextant names.

`async def classify(self, context: RoutingContext) -> str | None` runs under `asyncio.wait_for(…,
classifier_plugin_timeout_ms / 1000)`, 3 s by default; `context` has `raw_messages`, `structured_messages` (as in chat
completions), `candidate_models` and `metadata`. None, an exception and a timeout hand the request to the router's
`classifier_fallback`. The router deep-copies the instance with a deployment's parameters, so that it holds plain values
alone. Read in BerriAI/litellm: `litellm/router_strategy/complexity_router/nadir_classifier.py` at 247c094f,
`complexity_router.py` and `litellm/types/router.py` as stored in November 2026. The package is not imported here.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple

from ._choice import Choice
from ._question import question_of
from ._shape import is_dict, is_row
from ._shared import Remembered
from ._text import field
from .aio import AsyncSextant
from .client import Sextant

# Under this name the metadata of a request carries the id by which `choice_of` finds its choice again.
REQUEST_ID = "sextant_request_id"

# Clients by what they were made with, and choices by the id of their request, of this process: a classifier has no
# place for them, since copies of it have to be one.
_clients: Dict[Tuple[Any, ...], Sextant] = {}
_choices = Remembered()


def choice_of(metadata: Any) -> Optional[Choice]:
    """The choice for a request with this metadata; None if the request was not classified here.

    The metadata needs a `sextant_request_id` before it is classified, of any text that no other request has.
    """
    request_id = field(metadata, REQUEST_ID)
    return _choices.get(request_id) if isinstance(request_id, str) else None


class SextantClassifier:
    """Returns the tier of the model that Sextant names. If the service gives no answer, the router's fallback
    decides.

    base_url, api_key: the service, as of `Sextant`.
    tiers: the router's tier of each model, by the id that Sextant knows it by. A tier has one model here and in the
        router's configuration: what is learned of a model would otherwise be another's.
    default_model_id: the baseline of savings, one of `tiers`; the router's fallback should run it.
    deadline_ms: how long a question may take in all, > 0. Keep it below `classifier_plugin_timeout_ms`.
    namespace, cost_quality_tradeoff: fields of every request.

    Raises ValueError if an argument is wrong, or two models have one tier.
    """

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str],
        tiers: Mapping[str, str],
        default_model_id: str,
        *,
        deadline_ms: float = 400,
        namespace: Optional[str] = None,
        cost_quality_tradeoff: Optional[float] = None,
    ) -> None:
        self._tiers = dict(tiers)
        if len({tier.casefold() for tier in self._tiers.values()}) < len(self._tiers):
            raise ValueError("SextantClassifier: two models have one tier")
        self._made_with = (
            base_url, api_key, tuple(self._tiers), default_model_id, deadline_ms, namespace, cost_quality_tradeoff)
        _ = self.client  # a wrong argument is found now, and not at the first request

    @property
    def client(self) -> Sextant:
        """The client of all copies in this process."""
        client = _clients.get(self._made_with)
        if client is None:
            url, key, models, default, deadline_ms, namespace, tradeoff = self._made_with
            # One step for all threads: of two clients that are made at once, one is kept.
            client = _clients.setdefault(self._made_with, Sextant(
                url, key, models, default,
                deadline_ms=deadline_ms, namespace=namespace, cost_quality_tradeoff=tradeoff))
        return client

    async def classify(self, context: Any) -> Optional[str]:
        """Returns the tier of a request; None if the service gave no answer.

        Raises `BudgetExhausted`, which the router logs; its fallback then runs, since no classifier can refuse a call.
        """
        messages: Any = list(field(context, "structured_messages") or field(context, "raw_messages") or ())
        if not messages:
            return None
        metadata = field(context, "metadata")
        tags = field(metadata, "tags")
        asked = question_of(messages, tags=[
            tag for tag in (tags if is_row(tags) else ()) if isinstance(tag, str) and 0 < len(tag) <= 256])
        session = field(metadata, "session_id") or field(metadata, "litellm_session_id")
        choice = (await AsyncSextant(client=self.client).choose(conversation_id=session, **asked)).choice
        if is_dict(metadata) and isinstance(metadata.get(REQUEST_ID), str):
            _choices.set(metadata[REQUEST_ID], choice)
        return self._tiers[choice.model_id] if choice.source == "service" else None
