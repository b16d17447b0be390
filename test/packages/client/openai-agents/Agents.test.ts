// The OpenAI Agents SDK on a client of OpenAI that routes: streams; test/examples drives its example.
import { assert, it } from "@effect/vitest"
import { withSextant } from "../../../../packages/client/src/openai/index.ts"
import type { OpenAiModule } from "../openai/Sdk.ts"
import { textOf, usage } from "../support/FakeProvider.ts"
import { onEachVersion } from "../support/Peers.ts"
import { models } from "../support/RealService.ts"
import { staged } from "../support/Stage.ts"

interface Streaming {
  readonly completed: Promise<void>
  readonly toTextStream: () => AsyncIterable<string>
}

interface Agents {
  readonly Agent: new (options: object) => object
  readonly OpenAIProvider: new (options: object) => object
  readonly Runner: new (options: object) => {
    readonly run: (agent: object, input: string, options: { readonly stream: true }) => Promise<Streaming>
  }
}

const { provider, service } = staged()

onEachVersion("openai-agents", ({ load }) => {
  for (const useResponses of [true, false]) {
    it(`A run streaming ${useResponses ? "responses" : "chat completions"} is routed and measured`, async () => {
      const [{ OpenAI }, { Agent, OpenAIProvider, Runner }] =
        await Promise.all([load<OpenAiModule>("openai"), load<Agents>("@openai/agents")])
      const openAIClient = withSextant(new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "any" }), {
        ...service, models, defaultModelId: "dear", deadlineMs: 10_000
      })
      const modelProvider = new OpenAIProvider({ openAIClient, useResponses })
      const runner = new Runner({ modelProvider, tracingDisabled: true })
      const streamed = await runner.run(new Agent({ name: "any", model: "sextant/auto" }), "Hello", { stream: true })
      let text = ""
      for await (const part of streamed.toTextStream()) text += part
      await streamed.completed
      assert.strictEqual(text, textOf(provider.asked[0]?.model ?? ""))
      assert.isTrue(await openAIClient.sextant.flush())
      assert.deepInclude(service.reports[0]?.sent, { outcome: "success", output_tokens: usage.output })
    })
  }
})
