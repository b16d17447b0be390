import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted, type Scope } from "effect"
import { HttpClient } from "effect/http"
import { join } from "node:path"
import { audition } from "../../../packages/audition/src/Audition.ts"
import { type AuditionSettings, auditionSettings } from "../../../packages/audition/src/AuditionSettings.ts"
import { type ChatModel, worstOf } from "../../../packages/audition/src/Chat.ts"
import { gate, judge } from "../../../packages/audition/src/Grade.ts"
import { openJournal } from "../../../packages/audition/src/Journal.ts"
import { pageOf } from "../../../packages/audition/src/Page.ts"
import { BadPrompt, digestOf, promptsOf } from "../../../packages/audition/src/Prompts.ts"
import { tableOf } from "../../../packages/audition/src/Table.ts"
import type { ListPrices } from "../../../src/domain/model/Model.ts"
import { transport } from "../../../src/resilience/HttpTransport.ts"
import { temporaryDirectory } from "../../support/Databases.ts"
import { type FakeModel, type Fault, startProvider, type Told } from "./provider.ts"

const models: Readonly<Record<string, FakeModel>> = {
  cheap: { success: 0.6, tokens: 100, price: { input: 0.1, output: 0.5 } },
  middle: { success: 0.95, tokens: 100, price: { input: 0.5, output: 2 } },
  dear: { success: 0.7, tokens: 200, price: { input: 2, output: 10 } },
  critic: { success: 1, tokens: 20, price: { input: 0.1, output: 0.5 } }
}
const listPricesOf = ({ price: { input, output } }: FakeModel): ListPrices =>
  ({ inputCostPerMtok: input, outputCostPerMtok: output, cacheReadCostPerMtok: null })
const quick: AuditionSettings = { ...auditionSettings, retryMs: 1, retriesMax: 3 }

const promptsFor = (count: number) => {
  const prompts = promptsOf(Array.from({ length: count }, (_, i) =>
    JSON.stringify({ prompt: `Do task ${i}`, kind: i % 2 === 0 ? "even" : "odd" })).join("\n"), count)
  if (prompts instanceof BadPrompt) throw prompts
  return prompts
}

interface Given {
  readonly budgetUsd: number
  readonly fault?: Fault
  readonly told?: Told
  readonly count?: number
  readonly protocol?: ChatModel["protocol"]
  readonly gate?: string
  readonly names?: ReadonlyArray<string>
  readonly settings?: AuditionSettings
}

/** An audition on a fake provider: runs as often as wanted, with one journal. */
const world = Effect.fnUntraced(function*(
  {
    budgetUsd, count = 200, fault, gate: command, names = ["cheap", "middle", "dear"], protocol = "openai",
    settings = quick, told
  }: Given
) {
  const provider = yield* startProvider(models, fault, told)
  const path = join(yield* temporaryDirectory, "journal.jsonl")
  const client = yield* HttpClient.HttpClient
  const prompts = promptsFor(count)
  const modelOf = (model: string): ChatModel => ({
    model, protocol, url: new URL(provider.url), prices: listPricesOf(models[model]!),
    apiKey: Option.some(Redacted.make("sk-own"))
  })
  const outputTokensMax = 300
  const grader = command === undefined
    ? judge(client, modelOf("critic"), outputTokensMax, settings)
    : gate(command, settings)
  const header = { audition: 1 as const, prompts: digestOf(prompts), models: names, gradedBy: grader.name, outputTokensMax }
  const run = Effect.scoped(Effect.flatMap(openJournal(path, header), (journal) =>
    audition({
      prompts, digest: digestOf(prompts), models: names.map(modelOf), grader, budgetUsd, valueUsd: 0.05, outputTokensMax,
      settings, client, journal, report: () => undefined
    })))
  return { ...provider, run }
})

/** Runs with connections of its own. */
const connected = <A, E>(effect: Effect.Effect<A, E, HttpClient.HttpClient | Scope.Scope>) =>
  Effect.scoped(effect).pipe(
    Effect.provide(transport({ connectMs: 1_000, answerBytesMax: 1e6, connectionsMax: 8, keepAliveMs: 1_000 }))
  )

const pairsOf = (results: ReadonlyArray<{ readonly model: number; readonly prompt: number }>) =>
  results.map(({ model, prompt }) => `${model}:${prompt}`)

describe("an audition", () => {
  for (const protocol of ["openai", "anthropic"] as const) {
    it.live(`names the best model over ${protocol}'s protocol, with intervals that hold, and ends`, () =>
      connected(Effect.gen(function*() {
        const { run, state } = yield* world({ budgetUsd: 1, protocol })
        const { report } = yield* run
        assert.strictEqual(report.named?.modelId, "middle")
        assert.strictEqual(report.ended, "clear")
        for (const { modelId, success } of report.models) {
          assert.isTrue(success !== null && success.low <= models[modelId]!.success && models[modelId]!.success <= success.high, modelId)
        }
        assert.closeTo(report.spentUsd, state.billUsd, 1e-9)
        assert.deepStrictEqual([...state.keys], [protocol === "openai" ? "Bearer sk-own" : "sk-own"])
        assert.isAtMost(Math.max(...tableOf(report).split("\n").map((line) => line.length)), 90)
        const page = pageOf(report)
        assert.include(page, "Best at $0.05 a success")
        assert.notMatch(page, /<script|\sstyle=|<img/)
      })))
  }

  it.live("blames no model for 429s, outages and refusals: those calls are left out and counted", () =>
    connected(Effect.gen(function*() {
      const fault: Fault = (request, model) =>
        model === "critic" ? null
          : request % 23 === 0 ? "filtered" : request % 7 === 0 ? "429" : request % 11 === 0 ? "503" : request % 31 === 0 ? "broken" : null
      const { run, state } = yield* world({ budgetUsd: 1, fault })
      const { report, results } = yield* run
      assert.strictEqual(report.named?.modelId, "middle")
      assert.isAbove(results.filter(({ leftOut }) => leftOut === "refused").length, 0)
      for (const { leftOut, quality } of results) assert.strictEqual(quality === null, leftOut !== null)
      assert.isAtLeast(report.spentUsd + 1e-9, state.billUsd)
      assert.include(tableOf(report), "a content filter refused")
    })))

  for (const status of [429, 503]) {
    it.live(`waits as long as a ${status} asks, so that no call is lost to it`, () =>
      connected(Effect.gen(function*() {
        let openFromMs = Infinity
        const fault: Fault = () => {
          const now = performance.now()
          if (openFromMs === Infinity) openFromMs = now + 1_000
          return now < openFromMs ? { status, retryAfter: "1" } : null
        }
        // Without the wait its attempts would be over long before the second is.
        const { run, state } = yield* world({ budgetUsd: 1, count: 20, fault, gate: "grep -q 'a right answer'" })
        const { report, results } = yield* run
        assert.deepStrictEqual(results.filter(({ leftOut }) => leftOut !== null), [])
        assert.closeTo(report.spentUsd, state.billUsd, 1e-9)
      })))
  }

  it.live("grants no wait beyond its own longest, and then leaves the call out", () =>
    connected(Effect.gen(function*() {
      const fault: Fault = (_, model) => model === "dear" ? { status: 429, retryAfter: "86400" } : null
      const { run } = yield* world({ budgetUsd: 1, fault, settings: { ...quick, retryAfterMsMax: 5 } })
      const { report } = yield* run
      const dear = report.models.find(({ modelId }) => modelId === "dear")
      assert.deepStrictEqual([dear?.trials, dear?.leftOut[0]?.reason], [0, "rate_limited"])
      assert.strictEqual(report.named?.modelId, "middle")
    })))

  it.live("asks a model no more whose calls are all left out, and goes on with the others", () =>
    connected(Effect.gen(function*() {
      const { run } = yield* world({ budgetUsd: 1, fault: (_, model) => model === "dear" ? "401" : null })
      const { report } = yield* run
      const dear = report.models.find(({ modelId }) => modelId === "dear")
      assert.strictEqual(dear?.trials, 0)
      assert.strictEqual(dear?.leftOut[0]?.reason, "unauthorized")
      assert.isAtMost(dear?.leftOut[0]?.count ?? 99, quick.leftOutRunMax + quick.callsAtOnce)
      assert.strictEqual(report.named?.modelId, "middle")
    })))

  it.live("asks again, when it goes on, what was left out for a wrong key or an outage that is over", () =>
    connected(Effect.gen(function*() {
      let broken: "401" | "503" | null = "401"
      const { run, state } = yield* world({ budgetUsd: 1, fault: () => broken })
      assert.strictEqual((yield* run).report.ended, "no_answers")
      broken = "503"
      assert.strictEqual((yield* run).report.ended, "no_answers")
      broken = null
      const { report, results } = yield* run
      assert.strictEqual(report.named?.modelId, "middle")
      const answered = results.filter(({ leftOut }) => leftOut === null)
      assert.strictEqual(new Set(pairsOf(answered)).size, answered.length)
      assert.isTrue(results.filter(({ leftOut }) => leftOut !== null).every(({ model, prompt }) =>
        answered.some((each) => each.model === model && each.prompt === prompt)))
      // What was answered in the end is no longer said to be left out.
      assert.deepStrictEqual(report.models.map(({ leftOut }) => leftOut), report.models.map(() => []))
      assert.closeTo(report.spentUsd, state.billUsd, 1e-9)
    })))

  it.live("ends when no model answers", () =>
    connected(Effect.gen(function*() {
      const { run } = yield* world({ budgetUsd: 1, fault: () => "503" })
      const { report } = yield* run
      assert.strictEqual(report.ended, "no_answers")
      assert.isNull(report.named)
      assert.strictEqual(report.spentUsd, 0)
    })))

  it.live("never exceeds its budget, however small, even by the bills of connections that break", () =>
    connected(Effect.gen(function*() {
      for (const budgetUsd of [0, 0.002, 0.004, 0.01, 0.03]) {
        const { run, state } = yield* world({ budgetUsd, fault: (request) => request % 5 === 0 ? "broken" : null })
        const { report } = yield* run
        assert.isAtMost(state.billUsd, budgetUsd)
        assert.isAtMost(report.spentUsd, budgetUsd)
        if (budgetUsd === 0) assert.strictEqual(state.requests, 0)
      }
    })))

  for (
    const [name, told] of [
      ["0", () => [0, 0]],
      ["an answer of 0 tokens that has words", ([input]) => [input, 0]],
      ["a question of 0 tokens", ([_, output]) => [0, output]],
      ["less than nothing", ([input]) => [input, -5]],
      ["more than any answer has", ([input]) => [input, 1e12]],
      ["nothing", () => [undefined, undefined]]
    ] satisfies ReadonlyArray<readonly [string, Told]>
  ) {
    for (const protocol of ["openai", "anthropic"] as const) {
      it.live(`keeps to its budget where a provider says a usage of ${name}, over ${protocol}'s protocol`, () =>
        connected(Effect.gen(function*() {
          const { run, state } = yield* world({ budgetUsd: 0.02, protocol, told })
          const { report, results } = yield* run
          assert.isAbove(state.requests, 0)
          assert.isAtMost(state.billUsd, 0.02)
          assert.isAtLeast(report.spentUsd + 1e-9, state.billUsd)
          for (const { costUsd } of results) assert.isAbove(costUsd ?? 1, 0)
        })))
    }
  }

  it.live("goes on after an interruption at any moment, repeats nothing, and keeps to the budget", () =>
    connected(Effect.gen(function*() {
      const budgetUsd = 0.05
      const { run, state } = yield* world({ budgetUsd })
      let finished: ReadonlyArray<string> = []
      for (const requests of [1, 2, 3, 5, 8, 13, 21]) {
        const before = state.requests
        const fiber = yield* Effect.forkChild(run)
        yield* Effect.sleep("2 millis").pipe(Effect.repeat({ until: () => state.requests >= before + requests || fiber.pollUnsafe() !== undefined }))
        yield* Fiber.interrupt(fiber)
        assert.isAtMost(state.billUsd, budgetUsd)
      }
      const { report, results } = yield* run
      finished = pairsOf(results)
      assert.strictEqual(new Set(finished).size, finished.length)
      assert.isAtMost(report.spentUsd, budgetUsd)
      assert.isAtLeast(report.spentUsd + 1e-9, state.billUsd)
      const asked = state.requests
      const again = yield* run
      assert.strictEqual(state.requests, asked)
      assert.deepStrictEqual(pairsOf(again.results), finished)
    })))

  it.live("counts of calls that an interruption cut off only what they may have cost", () =>
    connected(Effect.gen(function*() {
      let isLimited = true
      const fault: Fault = (_, model) => isLimited && model === "critic" ? { status: 429, retryAfter: "60" } : null
      const { run, state } = yield* world({ budgetUsd: 1, fault })
      const fiber = yield* Effect.forkChild(run)
      yield* Effect.sleep("5 millis").pipe(Effect.repeat({ until: () => state.requests >= 2 * quick.callsAtOnce }))
      // The models have answered, and every judge is asked to wait.
      yield* Effect.sleep("300 millis")
      yield* Fiber.interrupt(fiber)
      const billUsd = state.billUsd
      assert.isAbove(billUsd, 0)
      isLimited = false
      const { report } = yield* run
      assert.closeTo(report.unfinishedUsd, billUsd, 1e-12)
      assert.closeTo(report.spentUsd, state.billUsd, 1e-9)
    })))

  it.live("grades by a command that reads the answer and has the prompt, without the caller's keys", () =>
    connected(Effect.gen(function*() {
      process.env["OPENAI_API_KEY"] = "sk-secret"
      const command = "test -z \"$OPENAI_API_KEY\" && case \"$SEXTANT_PROMPT\" in 'Do task '*) grep -q 'a right answer';; *) exit 1;; esac"
      const { run } = yield* world({ budgetUsd: 1, count: 20, gate: command, names: ["middle"] })
      const { report } = yield* Effect.ensuring(run, Effect.sync(() => delete process.env["OPENAI_API_KEY"]))
      assert.isAbove(report.models[0]?.success?.value ?? 0, 0.7)
      assert.deepStrictEqual([report.ended, report.judgeUsd, report.models[0]?.trials], ["prompts", 0, 20])
      const unknown = yield* world({ budgetUsd: 1, count: 20, gate: "no-such-command-here", names: ["middle"] })
      const { report: ungraded } = yield* unknown.run
      assert.strictEqual(ungraded.models[0]?.leftOut[0]?.reason, "ungraded")
      // A prompt that is longer than a variable may be has no verdict either.
      const [prompt = assert.fail()] = promptsFor(1)
      assert.isNull(yield* gate("true", quick).grade({ ...prompt, task: "x".repeat(200_000) }, "an answer", {} as never))
    })))
})

it("a call whose input may reach a tier may cost as much as at the tier's prices", () => {
  const prices: ListPrices = {
    ...listPricesOf(models["cheap"]!),
    priceTiers: [{ aboveInputTokens: 1_000, inputCostPerMtok: 1, outputCostPerMtok: 5, cacheReadCostPerMtok: null }]
  }
  const worstUsdOf = (content: string) => worstOf({ prices }, [{ role: "user", content }], 0, { ...quick, templateTokens: 0 })
  assert.closeTo(worstUsdOf("x".repeat(1_000)), 0.000_1, 1e-12)
  assert.closeTo(worstUsdOf("x".repeat(1_001)), 0.001_001, 1e-12)
})
