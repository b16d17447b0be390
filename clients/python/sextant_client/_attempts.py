"""Code that the adapters share: calling the models of a choice, and reading other libraries' objects."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Optional, Type

from ._choice import Call, Choice


class Attempts:
    """Calls the models of one choice in turn. Each `with attempts as call` block makes one call. A
    provider's fault in the `with` block is swallowed if another model may run, and the caller
    enters the block again for that model. The code in the `with` block reports success by
    `call.succeeded`.
    """

    def __init__(self, choice: Choice, first: Optional[str] = None, may_go_on: bool = True) -> None:
        """
        - first: the first model to call; by default the chosen model.
        - may_go_on: whether another model may run after a provider's fault.
        """
        self._choice = choice
        self._model_id = choice.model_id if first is None else first
        self._may_go_on = may_go_on
        self._call: Optional[Call] = None

    def __enter__(self) -> Call:
        self._call = call = self._choice.begin(self._model_id)
        return call

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> bool:
        call = self._call
        if error is None or call is None:
            return False
        if not isinstance(error, Exception):  # cancelled, or the program ends
            call.abandoned()
            return False
        following = self._choice.after(call, error, is_begun=not self._may_go_on)
        if following is None:
            return False
        self._model_id = following
        return True


def attempt(read: Any, *of: Any, otherwise: Any = None) -> Any:
    """Returns the result of `read(*of)`, or `otherwise` if `read` raises."""
    try:
        return read(*of)
    except Exception:  # the call goes on without the unreadable value
        return otherwise
