"""Runs both parts in a stand-in for the LiteLLM proxy, with one request to "auto" and one to a fixed model."""

import asyncio
import json
import os

import stub

stub.install()

MODELS = os.environ.get("MODELS", "gpt-5.4-mini,gpt-5.5").split(",")
os.environ.setdefault("SEXTANT_MODELS", json.dumps({model_id: f"proxy-{model_id}" for model_id in MODELS}))
os.environ.setdefault("SEXTANT_TIERS", json.dumps({model_id: f"TIER_{i}" for i, model_id in enumerate(MODELS)}))
os.environ.setdefault("SEXTANT_DEFAULT", MODELS[0])

import sextant_litellm  # noqa: E402  (the stub comes first)


async def main():
    classifier, client = sextant_litellm.classifier, sextant_litellm.classifier.client
    tiers = {f"TIER_{i}": f"proxy-{model_id}" for i, model_id in enumerate(MODELS)}
    fallbacks = [f"proxy-{model_id}" for model_id in reversed(MODELS)]
    proxy = stub.Proxy(
        sextant_litellm.handler, classifier, tiers, f"proxy-{MODELS[0]}", os.environ["OPENAI_BASE_URL"], fallbacks)
    messages = [{"role": "user", "content": "Write a Python function that reverses a linked list, with a test."}]
    for model in ("auto", f"proxy-{MODELS[0]}"):
        answer = await proxy.chat(model=model, messages=messages, metadata={"session_id": "example"})
        headers = answer._hidden_params.get("additional_headers", {})
        recommendation_id = headers.get("x-sextant-recommendation-id")
        print(f"{model}: {answer['choices'][0]['message']['content']}, to be scored: {recommendation_id is not None}")
        # The caller's program, in another process than the proxy, knows the id alone.
        client.score(recommendation_id, True, "gate")
    client.flush()
    print(f"reports lost: {client.dropped}")


if __name__ == "__main__":
    asyncio.run(main())
