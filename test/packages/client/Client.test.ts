// The client against the real service: what it asks, runs and reports.
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { createSextant } from "../../../packages/client/src/index.ts"
import { models } from "./support/RealService.ts"
import { served } from "./support/Stage.ts"

const task = "Write a function that sums a list"

const service = served()

const client = (over: object = {}) =>
  // A busy machine must not turn into timeouts.
  createSextant({ ...service, models, defaultModelId: "dear", deadlineMs: 10_000, ...over })

const outage = (status: number) => Object.assign(new Error("provider"), { status })

describe("a choice", () => {
  it("is the service's, and the usage of its run arrives by itself", async () => {
    const sextant = client()
    const choice = await sextant.choose(task)
    assert.strictEqual(choice.source, "service")
    assert.isNull(choice.reason)
    assert.include(models, choice.modelId)
    const text = await choice.run((model) => `ran ${model}`, {
      usage: () => ({ inputTokens: 1200, cachedInputTokens: 1000, outputTokens: 300, reasoningTokens: 120 })
    })
    assert.strictEqual(text, `ran ${choice.modelId}`)
    const [report] = await service.reported(choice.recommendationId, 1)
    assert.deepInclude(report?.sent, {
      recommendation_id: choice.recommendationId ?? "", chosen_model_id: choice.modelId, outcome: "success",
      evidence_source: "none", input_tokens: 1200, cached_input_tokens: 1000, output_tokens: 300, reasoning_tokens: 120
    })
    assert.isTrue(report?.answer.accepted)
    assert.deepStrictEqual(report?.answer.warnings, [])
    assert.isTrue(await sextant.flush())
  })

  it("reports the service tier and searches of a call, and no tier that would be refused", async () => {
    const choice = await client().choose(task)
    await choice.run((id) => id, { usage: () => ({ inputTokens: 1, outputTokens: 1, serviceTier: "priority", webSearches: 2 }) })
    const [report] = await service.reported(choice.recommendationId, 1)
    assert.deepInclude(report?.sent, { service_tier: "priority", web_searches: 2 })
    const other = await client().choose(task)
    await other.run((id) => id, { usage: () => ({ serviceTier: "x".repeat(257), webSearches: -1 }) })
    const [bare] = await service.reported(other.recommendationId, 1)
    for (const name of ["service_tier", "web_searches"]) assert.notProperty(bare?.sent, name)
  })

  it("names only the caller's models to the service, and the default as the baseline", async () => {
    await client({ namespace: "checkout", costQualityTradeoff: 2 }).choose(task)
    const [asked] = service.asked
    assert.deepStrictEqual(asked?.constraints?.candidate_models, [...models])
    assert.deepInclude(asked, { baseline_model_id: "dear", namespace: "checkout", cost_quality_tradeoff: 2 })
    assert.notProperty(asked, "shadow")
  })

  it("runs the new model wherever the program names the one that it stands for", async () => {
    const aliases = { old: "cheap", older: "old" }
    const sextant = createSextant({ ...service, models: ["old", "middle"], defaultModelId: "old", aliases, deadlineMs: 10_000 })
    assert.deepStrictEqual([[...sextant.models], sextant.defaultModelId], [["cheap", "middle"], "cheap"])
    const choice = await sextant.choose(task, { models: ["old"] })
    assert.strictEqual(choice.modelId, "cheap")
    const [asked] = service.asked
    assert.deepStrictEqual(asked?.constraints?.candidate_models, ["cheap"])
    assert.deepInclude(asked, { baseline_model_id: "cheap" })
    await choice.run((model) => model, { usage: () => ({ inputTokens: 1 }) })
    const [report] = await service.reported(choice.recommendationId, 1)
    assert.strictEqual(report?.sent.chosen_model_id, "cheap")
    // An alias is followed once.
    assert.deepStrictEqual([...client({ models: ["older"], defaultModelId: "older", aliases }).models], ["old"])
  })

  it("may be a model at a level of effort, spelled and reported as it is among the models", async () => {
    const efforts = ["dear#low", "dear#high"] as const
    const choice = await client({ models: efforts, defaultModelId: "dear#high" }).choose(task)
    assert.strictEqual(choice.source, "service")
    assert.include(efforts, choice.modelId)
    assert.strictEqual(choice.recommendation?.recommended_model.model_id, "dear")
    assert.strictEqual(`dear#${choice.recommendation?.recommended_model.effort}`, choice.modelId)
    await choice.run((id) => id, { usage: () => ({ inputTokens: 1200, outputTokens: 300 }) })
    const [report] = await service.reported(choice.recommendationId, 1)
    assert.strictEqual(report?.sent.chosen_model_id, choice.modelId)
    assert.deepStrictEqual(report?.answer.warnings, [])
  })
})

describe("a run", () => {
  it("goes on with another model after an outage, reports infra, and leaves the model out awhile", async () => {
    const sextant = client()
    const choice = await sextant.choose(task)
    const ran: Array<string> = []
    const text = await choice.run((model) => {
      ran.push(model)
      if (ran.length === 1) throw outage(503)
      return model
    }, { usage: () => ({ outputTokens: 1 }) })
    assert.lengthOf(new Set(ran), 2)
    assert.strictEqual(text, ran[1])
    const reports = await service.reported(choice.recommendationId, 2)
    assert.deepStrictEqual(reports.map(({ sent }) => [sent.chosen_model_id, sent.outcome, sent.error_cause ?? ""]).sort(),
      [[ran[0] ?? "", "failure", "infra"], [ran[1] ?? "", "success", ""]].sort())
    await sextant.choose(task)
    assert.deepStrictEqual(service.asked.at(-1)?.constraints?.excluded_models, [ran[0] ?? ""])
  })

  it("leaves an error that is the caller's unchanged, and reports nothing", async () => {
    const error = outage(400)
    let runs = 0
    const sextant = client()
    const choice = await sextant.choose(task)
    const thrown = await choice.run(() => {
      runs++
      throw error
    }).catch((one) => one)
    assert.strictEqual(thrown, error)
    assert.strictEqual(runs, 1)
    assert.isTrue(await sextant.flush())
    assert.isEmpty(await service.reported(choice.recommendationId, 0))
  })
})

describe("a verdict", () => {
  it("goes to the model that another layer ran", async () => {
    const choice = await client().choose(task)
    const other = models.find((model) => model !== choice.modelId) ?? ""
    choice.begin(other).succeeded({ outputTokens: 5 })
    await service.reported(choice.recommendationId, 1)
    assert.isTrue(choice.score(0.9))
    const reports = await service.reported(choice.recommendationId, 2)
    assert.deepStrictEqual(reports.map(({ sent }) => sent.chosen_model_id), [other, other])
    assert.deepInclude(reports[1]?.sent, { outcome: "success", quality_score: 0.9, evidence_source: "gate" })
  })
})

describe("a verdict from another process", () => {
  it("needs the recommendation's id alone, and is about the model that ran", async () => {
    const here = client()
    const choice = await here.choose(task)
    const other = models.find((model) => model !== choice.modelId) ?? ""
    choice.begin(other).succeeded({ outputTokens: 5 })
    assert.isTrue(await here.flush())
    const elsewhere = client()
    assert.isTrue(elsewhere.score(choice.recommendationId ?? "", 0.2, "human"))
    assert.isTrue(await elsewhere.flush())
    const [, verdict] = await service.reported(choice.recommendationId, 2)
    assert.deepStrictEqual([verdict?.sent.chosen_model_id, verdict?.answer.accepted, verdict?.answer.warnings], [undefined, true, []])
    // The one that ran has now failed at a task like this.
    const again = await elsewhere.choose(task, { request: { explain: true, detail: "full" } })
    const learned = again.recommendation?.ranked.find(({ model_id: id }) => id === other)
    assert.isAtLeast(learned?.evidence?.length ?? 0, 1)
  })
})

describe("a reader's thumb", () => {
  it("is reported by the guide's recipe as a person's verdict, and another thumb replaces it", async () => {
    const guide = readFileSync(join(import.meta.dirname, "../../../docs/using/verdicts.md"), "utf8")
    const [, recipe = ""] = /^## Thumbs\n[^]*?^```ts\n([^]*?)^```/m.exec(guide) ?? []
    const sextant = client()
    // The cast is safe: the guide's program is type-checked as it stands (`test/docs`).
    const onThumb = new Function("sextant", `${stripTypeScriptTypes(recipe)}; return onThumb`)(sextant) as (
      id: string, thumb: "up" | "down", why?: string
    ) => boolean
    const choice = await sextant.choose(task)
    await choice.run((model) => model, { usage: () => ({ outputTokens: 5 }) })
    assert.isTrue(onThumb(choice.recommendationId ?? "", "up"))
    assert.isTrue(await sextant.flush())
    assert.isTrue(onThumb(choice.recommendationId ?? "", "down", "The currency is missing."))
    assert.isTrue(await sextant.flush())
    const [, up, down] = await service.reported(choice.recommendationId, 3)
    assert.deepInclude(up?.sent, { outcome: "success", evidence_source: "human" })
    assert.deepInclude(down?.sent, { outcome: "failure", evidence_source: "human", notes: "The currency is missing." })
    assert.deepStrictEqual([up?.answer.warnings, down?.answer.warnings], [[], ["outcome_replaced"]])
  })
})
