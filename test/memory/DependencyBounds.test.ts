import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import * as Answers from "../../src/api/memory/MemoryAnswers.ts"
import { parsers } from "../../src/catalog/Sources.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import * as MemoryHttp from "../../src/memory/remote/MemoryHttp.ts"
import { engine, recommend } from "../engine/pipelines.ts"
import { layerCalledWithKeys } from "../support/CallerKeys.ts"
import { rawBackend } from "./backend.ts"

/* What dependencies answer is bounded as tightly as what callers send: amounts, counts, dates, texts. */

type Path = ReadonlyArray<string>

/** Every leaf of a JSON value. */
const leavesOf = (value: unknown, path: Path = []): ReadonlyArray<readonly [Path, unknown]> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, key]))
    : [[path, value]]

/** The value with another leaf. */
const withLeaf = (value: unknown, [key, ...rest]: Path, leaf: unknown): unknown => {
  if (key === undefined) return leaf
  if (Array.isArray(value)) return value.map((each, index) => String(index) === key ? withLeaf(each, rest, leaf) : each)
  return Object.fromEntries(Object.entries(value as object).map(([name, each]) =>
    [name, name === key ? withLeaf(each, rest, leaf) : each]))
}

const hostileNumbers = [1e308, -1e308, 2 ** 60, 1e13, "NaN", "1e308", [1], {}]
const huge = "x".repeat(1_000_000)
const hostile = (leaf: unknown): ReadonlyArray<unknown> =>
  typeof leaf === "number" ? hostileNumbers : typeof leaf === "string" ? [huge, 1e308, null] : [1e308, huge]

const neighbour = {
  entryId: "e1", modelId: "cheap", cluster: "code:medium", similarity: 0.5, reliability: 0.9, quality: 1,
  ageDays: 1, isStale: false, currentShare: 1, provenanceWeight: 1, propensity: 0.5, inputTokens: 3, outputTokens: 4,
  costUsd: 0.5, latencyMs: 6, timeToFirstTokenMs: 5, isCostOutlier: false
}
const tally = { weight: 2, success: 1 }
const measurement = {
  modelId: "cheap", cluster: "code:medium", similarity: 0.5, outputTokens: 4, costUsd: 0.5, latencyMs: 6,
  timeToFirstTokenMs: 5, isCostOutlier: false
}
const recalled = {
  neighbours: [neighbour], measurements: [measurement],
  tallies: [{ modelId: "cheap", lane: tally, taskType: tally, cluster: tally, tags: tally }],
  laneSize: 1, embedderFailed: false
}

const told: Readonly<Record<string, readonly [schema: Schema.Codec<unknown, unknown>, answer: unknown]>> = {
  recall: [Answers.Recalled, recalled],
  teach: [Answers.Taught, { record_id: "r", lane_taught: 1, reflection_triggered: false }],
  reinforce: [Answers.Reinforced, { entry_ids: ["e"], updated_confidence: 0.5 }],
  steps: [Answers.Recorded, { recorded: 1 }],
  strategies: [Answers.StrategiesAnswer, {
    strategies: [{
      strategy_id: "s", description: "d", supporting_lesson_count: 1, avg_confidence: 0.5, avg_reinforcement: 1,
      dominant_lesson_type: "success", dominant_scope: "run", lesson_ids: ["l"]
    }]
  }],
  diagnose: [Answers.DiagnosisAnswer, {
    lessons: [{ lesson_id: "l", content: "c", lesson_type: "failure", importance: 0.5, confidence: 0.5 }], total: 1
  }],
  health: [Answers.HealthAnswer, {
    entry_counts: { observation: 1 }, stale_entries: 0, contradictions: 0, low_confidence_count: 0,
    promotion_candidates: 0,
    section_health: [{ name: "observation", count: 1, average_confidence: 0.5, average_age_hours: 1 }]
  }]
}

describe("a memory over HTTP", () => {
  for (const [name, [schema, answer]] of Object.entries(told)) {
    it(`fails when one field of its answer to ${name} is beyond its bounds`, () => {
      const decode = Schema.decodeUnknownOption(schema)
      assert.isTrue(Option.isSome(decode(answer)), `${name} is right as it is`)
      for (const [path, leaf] of leavesOf(answer)) {
        for (const instead of hostile(leaf)) {
          assert.isTrue(
            Option.isNone(decode(withLeaf(answer, path, instead))),
            `${path.join(".")} = ${JSON.stringify(instead).slice(0, 40)}`
          )
        }
      }
    })
  }

  it("fails when a cost, a count or an age is below zero, or success is above weight", () => {
    const decode = Schema.decodeUnknownOption(Answers.Recalled)
    for (const [path, leaf] of leavesOf(recalled)) {
      const name = path.at(-1) ?? ""
      if (typeof leaf !== "number" || /similarity/i.test(name)) continue
      assert.isTrue(Option.isNone(decode(withLeaf(recalled, path, -1))), path.join("."))
    }
    assert.isTrue(Option.isNone(decode(withLeaf(recalled, ["tallies", "0", "lane", "success"], 3))))
    assert.isTrue(Option.isNone(decode({ ...recalled, neighbours: Array.from({ length: 64_001 }, () => neighbour) })))
  })

  it.live("that answers beyond its bounds is unavailable to the recommendation, whose figures hold", () =>
    Effect.gen(function*() {
      let answer: unknown = recalled
      const backend = rawBackend((request, response) => {
        request.resume()
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
      }, { breaker: { failuresMax: 1_000_000, openMs: 1, slowMs: 60_000 } })
      yield* Effect.gen(function*() {
        for (const [path, leaf] of [[[], null] as const, ...leavesOf(recalled)]) {
          for (const instead of path.length === 0 ? [recalled] : hostile(leaf).slice(0, 2)) {
            answer = withLeaf(recalled, path, instead)
            const response = yield* recommend()
            assert.strictEqual(response.warnings.includes("memory_unavailable"), path.length > 0, path.join("."))
            for (const [where, value] of leavesOf(Schema.encodeSync(RecommendResponse)(response))) {
              if (typeof value === "number") assert.isTrue(Number.isFinite(value), where.join("."))
            }
          }
        }
      }).pipe(Effect.provide(engine({
        memory: MemoryHttp.layer.pipe(Layer.provide(backend), layerCalledWithKeys),
        // What is asserted is what was answered, however late.
        settings: { recallBudgetMs: 60_000 }
      })))
    }), 120_000)
})

describe("a price source", () => {
  const bodies = {
    "models.dev": { p: { models: { m: { cost: { input: 1, output: 2, cache_read: 0.5, cache_write: 1.25, context_over_200k: { input: 2, output: 3, cache_read: 1 } }, experimental: { modes: { fast: { cost: { input: 2, output: 4 }, provider: { body: { service_tier: "priority" } } } } }, limit: { context: 9, output: 9 } } } } },
    openrouter: {
      data: [{ id: "p/m", pricing: { prompt: "0.000001", completion: "0.000002", input_cache_read: "0.0000005", input_cache_write: "0.00000125", request: "0.005", web_search: "0.01" }, context_length: 9, top_provider: { max_completion_tokens: 9 } }]
    },
    litellm: { "p/m": { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6, cache_read_input_token_cost: 5e-7, cache_creation_input_token_cost: 1.25e-6, cache_creation_input_token_cost_above_1hr: 2e-6, input_cost_per_token_above_200k_tokens: 2e-6, output_cost_per_token_above_200k_tokens: 3e-6, input_cost_per_token_flex: 5e-7, output_cost_per_token_flex: 1e-6, input_cost_per_request: 0.005, search_context_cost_per_query: { search_context_size_medium: 0.01 }, max_input_tokens: 9, max_output_tokens: 9 } }
  } as const
  for (const source of ["models.dev", "openrouter", "litellm"] as const) {
    it(`${source} gives no price or size beyond its bounds: a row or a field is left out`, () => {
      const body = bodies[source]
      assert.strictEqual(parsers[source](body).size, 1)
      for (const [path, leaf] of leavesOf(body)) {
        for (const instead of [...hostile(leaf), -1, "-1", "1e99"]) {
          for (const { cacheWritePriceRatio = {}, extraPrices: { serviceTierRatio = {}, ...fees } = {}, facts: _, priceTiers = [], ...figures } of parsers[source](withLeaf(body, path, instead)).values()) {
            for (const value of [figures, cacheWritePriceRatio, fees, serviceTierRatio, ...priceTiers].flatMap((each) => Object.values(each))) assert.isTrue(value === null || (value >= 0 && value <= 1e9))
          }
        }
      }
    })
  }
})
