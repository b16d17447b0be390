"""You learn the whole loop in plain Python: choose a model for each prompt, call it over HTTP, report how it went.

SEXTANT_URL, SEXTANT_KEY: the service. OPENAI_BASE_URL, OPENAI_API_KEY: a provider that speaks OpenAI's chat
completions. MODELS: the models that may run, comma-separated; the first is the default. SEXTANT_DEADLINE_MS: how
long a question waits for Sextant, 400 by default.
"""

import json
import os
import urllib.request

from sextant_client import Sextant

MODELS = os.environ.get("MODELS", "gpt-5.4-mini,gpt-5.5").split(",")
PROMPTS = [
    "Write a Python function that reverses a linked list, with a test.",
    "Translate 'good morning' into French.",
]

sextant = Sextant(
    os.environ["SEXTANT_URL"],
    os.environ["SEXTANT_KEY"],
    models=MODELS,
    default_model_id=MODELS[0],
    deadline_ms=float(os.environ.get("SEXTANT_DEADLINE_MS", 400)),
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


def main():
    for prompt in PROMPTS:
        choice = sextant.choose(prompt, conversation_id="example")
        answer = choice.run(lambda model_id, prompt=prompt: complete(model_id, prompt))
        text = answer["choices"][0]["message"]["content"]
        # The check that your program has: a test that passes, a form that is complete.
        choice.score(len(text) > 0, "gate")
        print(f"{choice.source} {choice.ran_model_id}: {text}")
    sextant.flush()
    print(f"reports lost: {sextant.dropped}")


if __name__ == "__main__":
    main()
