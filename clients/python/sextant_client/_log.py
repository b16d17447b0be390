"""The log of the client."""

import logging

logger = logging.getLogger("sextant_client")
