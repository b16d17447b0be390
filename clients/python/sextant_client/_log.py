"""The log of the client."""

import logging
from typing import Dict

logger = logging.getLogger("sextant_client")

# Reasons for which the client has logged a warning.
_told: Dict[str, object] = {}
# Maximum number of warnings that one process logs, because a service may name ever new fields.
_TOLD_MAX = 100


def warn(reason: str, message: str, *values: object) -> None:
    """Logs a warning, once per process and reason, and for at most 100 reasons."""
    token = object()
    # `setdefault` is atomic, so that two threads do not both log the warning.
    if len(_told) < _TOLD_MAX and _told.setdefault(reason, token) is token:
        logger.warning(message, *values)
