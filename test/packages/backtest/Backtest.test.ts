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
  const calls = randomCalls(1_500)
  const reported = Effect.runSync(Effect.cached(reportOn(calls)))

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
      const { headline, sameQuality } = report
      assert.strictEqual(sameQuality.verdict, "saves")
      assert.match(headline, /^As good as today \(within 1 point\): \d+ % less \(95 % interval .* %\), by /)
      assert.include(headline, sameQuality.sentence)
    }))

  it.live("has a point for each value of success, whose cost and success rise with it", () =>
    Effect.gen(function*() {
      const values = [0, 0.002, 0.2, 20]
      const { policies } = yield* reportOn(calls, {
        aims: [{ slider: 5, valueUsd: null }, ...values.map((valueUsd) => ({ slider: null, valueUsd }))]
      })
      const points = policies.filter(({ kind }) => kind === "value")
      assert.deepStrictEqual(points.map(({ valueUsd }) => valueUsd), values)
      assert.strictEqual(points[1]?.name, "$0.002 a success")
      for (const [i, { expected }] of points.entries()) {
        const before = points[i - 1]?.expected ?? { costUsd: 0, success: 0 }
        assert.isAtLeast(expected.costUsd, before.costUsd - 1e-9)
        assert.isAtLeast(expected.success, before.success - 0.02)
      }
      // At no value the cheapest runs on every call.
      assert.deepStrictEqual(points[0]?.picks, [{ modelId: "able-mini", share: 1 }])
    }))

  it.live("is the same whatever the order of the rows, and for repeated rows", () =>
    Effect.gen(function*() {
      const plain = yield* reported
      const shuffled = yield* reportOn([...calls.slice(700), ...calls.slice(0, 700).toReversed(), ...calls.slice(3, 60)])
      assert.deepStrictEqual(shuffled.policies, plain.policies)
      assert.strictEqual(shuffled.log.repeated, 57)
      assert.include(shuffled.notes.join(" "), "out of order")
    }))

  it.live("asks each row before its own outcome is learned", () =>
    Effect.gen(function*() {
      const until = calls.slice(0, 300)
      const last = until.at(-1)!
      const better = yield* reportOn(until)
      const worse = yield* reportOn([...until.slice(0, -1), { ...last, quality: 1 - (last.quality ?? 0), costUsd: 9 }])
      const picksOf = ({ policies }: BacktestReport) => policies.map(({ expected, picks }) => ({ expected, picks }))
      assert.deepStrictEqual(picksOf(worse).map(({ picks }) => picks), picksOf(better).map(({ picks }) => picks))
    }))

  it.live("compares with the model that is named as the baseline, and refuses one that is no candidate", () =>
    Effect.gen(function*() {
      const report = yield* reportOn(calls, { baseline: "acme/large" })
      assert.strictEqual(report.baseline, "always large")
      assert.strictEqual(policyOf(report, "always large").verdict, "baseline")
      const saving = policyOf(report, "always able-mini").saving?.value ?? 0
      assert.closeTo(saving, 0.9, 0.01)
      const failure = yield* Effect.flip(reportOn(calls, { baseline: "unheard-of" }))
      assert.strictEqual(failure._tag, "UnknownBaseline")
      assert.match(failure.message, /none of the candidates: (able-mini, large|large, able-mini)\./)
    }))

  it.live("is written as JSON in the documented form", () =>
    Effect.gen(function*() {
      const report = yield* reported
      const json: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(BacktestReport)(report)))
      assert.deepStrictEqual(Schema.decodeUnknownSync(BacktestReport)(json), report)
    }))

  it.live("always states its assumption and what no log can tell", () =>
    Effect.map(reported, ({ assumption, unknowable }) => {
      assert.match(assumption, /^Assumed throughout/)
      assert.match(unknowable, /never\s+chosen.*only the log's author knows/)
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
      assert.match(policyOf(same, "always large").sentence, /hardly ever shows.*3\.0 % try all models evenly/)
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
      assert.deepInclude(report.spent, { reportedRows: 2, computedRows: 1, unknownRows: 1 })
      assert.deepInclude(report.log, { infraFailures: 1, judged: 3 })
    }))
})

describe("a backtest of a strange log", () => {
  it.live("limits ten thousand models to eight candidates, and says how many it left out", () =>
    Effect.map(
      reportOn(Array.from({ length: 10_000 }, (_, i) => callOf(i, { modelId: `model-${i}`, prompt: null })), { aims: [{ slider: 5, valueUsd: null }] }),
      ({ candidates, log, notes, policies }) => {
        assert.strictEqual(candidates.length, 8)
        assert.strictEqual(log.judged, 10_000)
        assert.isTrue(policies.every(({ verdict }) => verdict !== "saves"))
        assert.include(notes.join(" "), "9,992 of 10,000 models")
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
        snapshot: cards, resolveModel: () => null, settings: defaults, aims: [{ slider: 5, valueUsd: null }], baseline: null, models: null,
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
