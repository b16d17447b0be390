"""The log of the client."""

import logging
from typing import Dict

logger = logging.getLogger("sextant_client")

# What this process was told, and how much of it is remembered, count: a service may name ever new things.
_told: Dict[str, object] = {}
_TOLD_MAX = 100


def warn(reason: str, message: str, *values: object) -> None:
    """Logs a warning, unless one of this reason was logged by this process."""
    token = object()
    # One step for all threads.
    if len(_told) < _TOLD_MAX and _told.setdefault(reason, token) is token:
        logger.warning(message, *values)
