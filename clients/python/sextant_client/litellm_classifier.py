"""A classifier for LiteLLM's complexity router: returns the tier of the model that Sextant names.
LiteLLM's router awaits `classify(context)` for at most `classifier_plugin_timeout_ms`, 3 s by
default. `context` has `raw_messages`, `structured_messages` (as in chat completions) and
`metadata`. If `classify` returns None, raises or takes too long, the router uses its
`classifier_fallback`. The router deep-copies a classifier, so a classifier holds only plain values.
LiteLLM's interface was read in `litellm/router_strategy/complexity_router` at 247c094f.
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

# Name of the field of a request's metadata that holds the id by which `choice_of` finds the choice.
REQUEST_ID = "sextant_request_id"

# All copies of a classifier in a process share two maps: clients by their arguments, and choices by
# the id of the request.
_clients: Dict[Tuple[Any, ...], Sextant] = {}
_choices = Remembered()


def choice_of(metadata: Any) -> Optional[Choice]:
    """Returns the choice that this process made for a request with the given metadata, or None.
    Before a request is classified, its metadata needs a `sextant_request_id`: any text that no
    other request has.
    """
    request_id = field(metadata, REQUEST_ID)
    return _choices.get(request_id) if isinstance(request_id, str) else None


class SextantClassifier:
    """Returns the tier of the model that Sextant names.

    - base_url, api_key: the service's URL and the account's key, as of `Sextant`.
    - tiers: the router's tier of each model, by Sextant's id of the model. Each tier must have
        exactly one model, here and in the router, so that outcomes count for the right model.
    - default_model_id: the baseline of savings, one of `tiers`. The router's `classifier_fallback`
        should run the model `default_model_id`.
    - deadline_ms: maximum time of a question, in ms, > 0, below `classifier_plugin_timeout_ms`.
    - namespace, cost_quality_tradeoff: fields that are sent in every request.

    Raises ValueError if an argument's value is wrong, or two models have one tier.
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
        """The client that all copies of this classifier in the process share."""
        client = _clients.get(self._made_with)
        if client is None:
            url, key, models, default, deadline_ms, namespace, tradeoff = self._made_with
            # `setdefault` is atomic: if two threads make a client at once, both use the same one.
            client = _clients.setdefault(self._made_with, Sextant(
                url, key, models, default,
                deadline_ms=deadline_ms, namespace=namespace, cost_quality_tradeoff=tradeoff))
        return client

    async def classify(self, context: Any) -> Optional[str]:
        """Returns the tier of a request; None if the service chose no model. If the budget is used
        up, `classify` raises `BudgetExhausted`.
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
