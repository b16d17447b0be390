"""Turns a check's result into the service's form of a verdict."""

from __future__ import annotations

import math
from typing import Any, Optional


def quality_of(value: Any) -> Optional[float]:
    """Returns a verdict as a number from 0 to 1; None if the verdict is not such a number."""
    try:
        number = math.nan if isinstance(value, (str, bytes)) else float(value)
    except Exception:  # it has no number
        return None
    return number if 0 <= number <= 1 else None


def outcome_of(quality: float) -> str:
    """Returns "success" for a quality from 0.8, "partial" from 0.4, otherwise "failure"."""
    return "success" if quality >= 0.8 else "partial" if quality >= 0.4 else "failure"
