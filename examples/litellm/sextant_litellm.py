"""You learn how requests for the model `auto` of a LiteLLM proxy run what Sextant names, and how they are reported.

In the proxy's configuration: `classifier_plugin: sextant_litellm.classifier` of its complexity router, and
`litellm_settings: {callbacks: sextant_litellm.handler}`. It needs this file and the package `sextant_client` on the
proxy's path.

SEXTANT_URL, SEXTANT_KEY: the service. SEXTANT_MODELS: a JSON object from Sextant's model ids to the proxy's
`model_name`s. SEXTANT_TIERS: one from Sextant's model ids to the router's tiers, a tier of its own for each.
SEXTANT_DEFAULT: the id of the model that the router's fallback runs. SEXTANT_DEADLINE_MS: how long a request waits for
Sextant, 400 by default. A mistake in them ends the start of the proxy.
"""

import json
import os

from sextant_client.litellm_classifier import SextantClassifier
from sextant_client.litellm_logger import SextantLogger

# Names the tier of a request. When it cannot say, the router's `classifier_fallback` decides.
classifier = SextantClassifier(
    os.environ["SEXTANT_URL"],
    os.environ["SEXTANT_KEY"],
    json.loads(os.environ["SEXTANT_TIERS"]),
    os.environ["SEXTANT_DEFAULT"],
    deadline_ms=float(os.environ.get("SEXTANT_DEADLINE_MS", 400)),
)

# Reports usage, outages and refusals of the models that ran, and gives an answer the id to score with, as a header.
handler = SextantLogger(json.loads(os.environ["SEXTANT_MODELS"]))
