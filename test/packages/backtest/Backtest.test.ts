import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schema, Stream } from "effect"
import { backtest } from "../../../packages/backtest/src/Backtest.ts"
import { tallyRefreshMsOf } from "../../../packages/backtest/src/Replay.ts"
import { BacktestReport } from "../../../packages/backtest/src/Report.ts"
import { dayMs } from "../../../src/domain/Time.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { callOf, randomCalls, readAs, reportOn, snapshot } from "./logs.ts"

const policyOf = ({ policies }: BacktestReport, name: string) => {
  const found = policies.find((policy) => policy.name === name)
  assert.isDefined(found)
  return found
}

describe("a backtest of a log whose models were chosen at random", () => {
  const calls = randomCalls(400)
  const reported = Effect.runSync(Effect.cached(reportOn(randomCalls(1_500))))
  const reportedFew = Effect.runSync(Effect.cached(reportOn(calls)))

  it.live("says what one model for every call saves, and holds the truth in its intervals", () =>
    Effect.map(reported, (report) => {
      const { costUsd, saving, success, verdict } = policyOf(report, "always able-mini")
      assert.strictEqual(verdict, "saves")
      // The truth: 1,100 tokens at 1 USD per million, beside the mean of 1 and 10.
      assert.isTrue(costUsd !== null && costUsd.low < 0.0011 && 0.0011 < costUsd.high)
      assert.isTrue(saving !== null && saving.low < 1 - 1 / 5.5 && 1 - 1 / 5.5 < saving.high)
      assert.isTrue(success !== null && success.low < 0.8 && 0.8 < success.high)
      assert.strictEqual(policyOf(report, "always large").verdict, "costs_more")
      assert.strictEqual(policyOf(report, "the log's own choices").verdict, "baseline")
      const { best, headline, untold } = report
      assert.strictEqual(best.verdict, "not_shown")
      assert.match(headline, /^No saving is shown: .* by .*, the cheapest way estimated to be within 1 point of today's success: /)
      assert.isTrue(untold === null || !untold.ways.includes("always able-mini"))
    }))

  it.live("picks the cheapest for every call at slider 0", () =>
    Effect.map(reported, (report) =>
      assert.deepStrictEqual(policyOf(report, "Slider 0").picks, [{ modelId: "able-mini", share: 1 }])))

  it.live("is the same whatever the order of the rows, and for repeated rows", () =>
    Effect.gen(function*() {
      const plain = yield* reportedFew
      assert.strictEqual(policyOf(plain, "always able-mini").verdict, "saves")
      const shuffled = yield* reportOn([...calls.slice(200), ...calls.slice(0, 200).toReversed(), ...calls.slice(3, 60)])
      assert.deepStrictEqual(shuffled.policies, plain.policies)
      assert.strictEqual(shuffled.log.repeated, 57)
    }))

  it.live("asks each row before its own outcome is learned", () =>
    Effect.gen(function*() {
      const last = calls.at(-1)!
      const better = yield* reportedFew
      const worse = yield* reportOn([...calls.slice(0, -1), { ...last, quality: 1 - (last.quality ?? 0), costUsd: 9 }])
      const picksOf = ({ policies }: BacktestReport) => policies.map(({ picks }) => picks)
      assert.deepStrictEqual(picksOf(worse), picksOf(better))
    }))

  it.live("is written as JSON in the documented form", () =>
    Effect.gen(function*() {
      const report = yield* reported
      const json: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(BacktestReport)(report)))
      assert.deepStrictEqual(Schema.decodeUnknownSync(BacktestReport)(json), report)
    }))

  it.live("always states its assumption and what no log can tell", () =>
    Effect.map(reported, ({ assumption }) => {
      assert.match(assumption, /^Assumed throughout.*never chosen.*only the log's author knows/)
    }))
})

describe("a backtest that cannot tell", () => {
  it.live("says so of an empty log, of one row, and of a log of one model", () =>
    Effect.gen(function*() {
      const empty = yield* reportOn([])
      assert.strictEqual(empty.headline, "Not enough to tell: the log holds no call that can be judged.")
      assert.isNull(empty.log.from)
      const one = yield* reportOn([callOf(0)])
      assert.strictEqual(one.log.judged, 1)
      assert.isTrue(one.policies.every(({ verdict }) => verdict === "not_enough" || verdict === "baseline"))
      const same = yield* reportOn(Array.from({ length: 600 }, (_, i) => callOf(i)), { models: ["able-mini", "large"] })
      assert.strictEqual(policyOf(same, "always large").verdict, "not_enough")
      const { headline, untold } = same
      assert.strictEqual(headline, untold?.sentence)
      assert.match(headline, /always large \(the log hardly ever shows.*What would: an audition of 100 prompts at about \$\d/)
    }))

  it.live("counts what was spent, reported or by list prices, and of how many rows it is not known", () =>
    Effect.gen(function*() {
      const report = yield* reportOn([
        callOf(0, { costUsd: 0.5 }),
        callOf(1, { costUsd: null }),
        callOf(2, { costUsd: null, outputTokens: null }),
        callOf(3, { costUsd: 0.25, isInfraFailure: true, quality: null })
      ])
      assert.closeTo(report.spent.usd, 0.5 + 0.0011 + 0.25, 1e-9)
      assert.deepInclude(report.spent, { computedRows: 1, unknownRows: 1 })
      assert.deepInclude(report.log, { infraFailures: 1, judged: 3 })
    }))
})

describe("a backtest of a strange log", () => {
  it.live("limits two thousand models to eight candidates, and says how many it left out", () =>
    Effect.map(
      reportOn(Array.from({ length: 2_000 }, (_, i) => callOf(i, { modelId: `model-${i}`, prompt: null })), { sliders: [5] }),
      ({ log, notes, policies }) => {
        assert.strictEqual(policies.filter(({ kind }) => kind === "always").length, 8)
        assert.strictEqual(log.judged, 2_000)
        assert.isTrue(policies.every(({ verdict }) => verdict !== "saves"))
        assert.include(notes.join(" "), "1,992 of 2,000 models")
      }
    ), 120_000)

  it.live("takes rows of one date, of many years, and with a prompt of 10 MB", () =>
    Effect.gen(function*() {
      const at = new Date(callOf(0).at)
      const sameDate = yield* reportOn(randomCalls(200).map((call) => ({ ...call, at })))
      assert.strictEqual(sameDate.log.judged, 200)
      const years = yield* reportOn(randomCalls(200).map((call, i) =>
        ({ ...call, at: new Date(at.getTime() + i * 10 * dayMs) })))
      assert.strictEqual(years.log.judged, 200)
      const long = "Summarize this. ".repeat(650_000)
      const large = yield* reportOn([callOf(0, { prompt: long }), callOf(1, { prompt: long })])
      assert.strictEqual(large.log.withPrompt, 2)
    }))

  it.live("asks rows without a text by tags and type alone, and says so", () =>
    Effect.map(
      reportOn(randomCalls(400).map((call, i) => ({ ...call, prompt: i % 2 === 0 ? null : call.prompt }))),
      ({ log, notes }) => {
        assert.deepInclude(log, { withPrompt: 200, judged: 400 })
        assert.include(notes.join(" "), "200 calls (50 %) have no text")
      }
    ))
})

describe("a backtest that is interrupted", () => {
  it.live("ends while it reads", () =>
    Effect.gen(function*() {
      const cards = yield* snapshot
      const running = yield* Effect.forkChild(backtest(Stream.concat(readAs(randomCalls(50)), Stream.never), {
        snapshot: cards, resolveModel: () => null, settings: defaults, sliders: [5], models: null,
        readTo: () => {}, replayedTo: () => {}
      }))
      yield* Effect.sleep("300 millis")
      yield* Fiber.interrupt(running)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(running)))
    }))
})

describe("the time after which sums are aged anew", () => {
  it("is ten minutes for a short log, a five-hundredth of a longer one, and a day at most", () => {
    assert.strictEqual(tallyRefreshMsOf(dayMs), 600_000)
    assert.strictEqual(tallyRefreshMsOf(100 * dayMs), dayMs / 5)
    assert.strictEqual(tallyRefreshMsOf(10_000 * dayMs), dayMs)
  })
})
