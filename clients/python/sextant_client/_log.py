"""The log of the client."""

import logging
from typing import Dict

logger = logging.getLogger("sextant_client")

# Reasons that were already warned about, and their maximum number. The number is limited, because a service may name
# ever new things.
_told: Dict[str, object] = {}
_TOLD_MAX = 100


def warn(reason: str, message: str, *values: object) -> None:
    """Logs a warning, once per process and reason."""
    token = object()
    # One step, so that two threads do not both log the warning.
    if len(_told) < _TOLD_MAX and _told.setdefault(reason, token) is token:
        logger.warning(message, *values)
