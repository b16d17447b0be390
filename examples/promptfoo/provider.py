"""You learn how an evaluation runs the models that Sextant names: a provider for promptfoo (`file://provider.py`).

SEXTANT_URL, SEXTANT_KEY: the service. OPENAI_BASE_URL, OPENAI_API_KEY: a provider that speaks OpenAI's chat
completions. MODELS: the models that may run, comma-separated; the first is the default.
"""

import json
import os
import urllib.request

from sextant_client import Sextant

MODELS = os.environ.get("MODELS", "gpt-5.4-mini,gpt-5.5").split(",")
sextant = Sextant(
    os.environ["SEXTANT_URL"],
    os.environ["SEXTANT_KEY"],
    models=MODELS,
    default_model_id=MODELS[0],
    deadline_ms=float(os.environ.get("SEXTANT_DEADLINE_MS", 400)),
    namespace="promptfoo",
)


def complete(model_id, prompt):
    """One chat completion; the answer as parsed JSON."""
    body = {"model": model_id, "messages": [{"role": "user", "content": prompt}]}
    request = urllib.request.Request(
        os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions",
        json.dumps(body).encode(),
        {"content-type": "application/json", "authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def call_api(prompt, options, context):
    """What promptfoo calls for each row."""
    choice = sextant.choose(prompt)
    try:
        answer = choice.run(lambda model_id: complete(model_id, prompt))
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    usage = answer.get("usage") or {}
    return {
        "output": answer["choices"][0]["message"]["content"],
        "tokenUsage": {
            "prompt": usage.get("prompt_tokens"),
            "completion": usage.get("completion_tokens"),
            "total": usage.get("total_tokens"),
        },
        "metadata": {"sextant": {"recommendation_id": choice.recommendation_id, "model_id": choice.ran_model_id}},
    }
