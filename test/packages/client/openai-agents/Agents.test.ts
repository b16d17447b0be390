// The OpenAI Agents SDK on a client of OpenAI that routes: the example, and a stream.
import { assert, beforeAll, it } from "@effect/vitest"
import { withSextant } from "../../../../packages/client/src/openai/index.ts"
import { linkPackages } from "../../../examples/world.ts"
import type { OpenAiModule } from "../openai/Sdk.ts"
import { textOf, usage } from "../support/FakeProvider.ts"
import { onEachVersion } from "../support/Peers.ts"
import { models } from "../support/RealService.ts"
import { stagedExample } from "../support/StagedExample.ts"

const name = "openai-agents"

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

const { linesOf, world } = stagedExample(name)

onEachVersion(name, ({ load, version }) => {
  beforeAll(() => linkPackages(name, `${name}/${version}`))

  it("The agent runs each turn on the model that called the tool, and takes a verdict", async () => {
    const lines = await linesOf()
    const [first, second] = world.provider.asked.map(({ model }) => model)
    assert.strictEqual(first, second)
    assert.deepStrictEqual(lines, [
      textOf(first ?? ""), `  (${first}, named by the service)`, `  (${first}, named by the service)`, "  (scored)",
      "reports lost: 0"
    ])
    assert.sameMembers(world.service.reports.map(({ sent }) => `${sent.outcome} ${sent.evidence_source}`),
      ["success none", "success none", "success gate"])
    assert.isTrue(world.service.reports.every(({ answer }) => answer.accepted))
  })

  it("The agent goes on with its default model when the service is down", async () => {
    world.service.set("down")
    const turn = "  (cheap, named by the default: unreachable)"
    assert.deepStrictEqual(await linesOf(), [textOf("cheap"), turn, turn, "  (nothing to score)", "reports lost: 0"])
  })

  for (const useResponses of [true, false]) {
    it(`A run that streams ${useResponses ? "responses" : "chat completions"} is routed and measured`, async () => {
      const [{ OpenAI }, { Agent, OpenAIProvider, Runner }] =
        await Promise.all([load<OpenAiModule>("openai"), load<Agents>("@openai/agents")])
      const openAIClient = withSextant(new OpenAI({ baseURL: `${world.provider.url}/v1`, apiKey: "any" }), {
        ...world.service, models, defaultModelId: "dear", deadlineMs: 10_000
      })
      const modelProvider = new OpenAIProvider({ openAIClient, useResponses })
      const runner = new Runner({ modelProvider, tracingDisabled: true })
      const streamed = await runner.run(new Agent({ name: "any", model: "sextant/auto" }), "Hello", { stream: true })
      let text = ""
      for await (const part of streamed.toTextStream()) text += part
      await streamed.completed
      assert.strictEqual(text, textOf(world.provider.asked[0]?.model ?? ""))
      assert.isTrue(await openAIClient.sextant.flush())
      assert.deepInclude(world.service.reports[0]?.sent, { outcome: "success", output_tokens: usage.output })
    })
  }
})
