"""The log of the client."""

import logging
from typing import Dict

logger = logging.getLogger("sextant_client")

# Reasons of logged warnings, and the largest number of remembered ones, count. A service may name ever new things.
_told: Dict[str, object] = {}
_TOLD_MAX = 100


def warn(reason: str, message: str, *values: object) -> None:
    """Logs a warning, once per process and reason."""
    token = object()
    # One step for all threads.
    if len(_told) < _TOLD_MAX and _told.setdefault(reason, token) is token:
        logger.warning(message, *values)
