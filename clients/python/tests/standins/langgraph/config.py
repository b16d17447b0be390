"""`langgraph.config` of langgraph 1.2.12: the configuration of the running step, which is in a context variable."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Dict

var_child_runnable_config: ContextVar[Dict[str, Any]] = ContextVar("child_runnable_config")


def get_config() -> Dict[str, Any]:
    try:
        return var_child_runnable_config.get()
    except LookupError:
        raise RuntimeError("Called get_config outside of a runnable context") from None
