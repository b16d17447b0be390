import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { makeLoggedTasks } from "../../../packages/backtest/src/LoggedTasks.ts"
import { pageOf } from "../../../packages/backtest/src/page/Page.ts"
import type { BacktestReport } from "../../../packages/backtest/src/Report.ts"
import { BacktestReport as ReportSchema } from "../../../packages/backtest/src/Report.ts"
import { tableOf } from "../../../packages/backtest/src/Table.ts"
import type { LoggedCall } from "../../../packages/backtest/src/logs/LoggedCall.ts"
import { dayMs } from "../../../src/domain/Time.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { generator } from "../../../src/stats/Generator.ts"
import { beganMs, callOf, reportOn, rowOf } from "./logs.ts"

const minuteMs = 60_000

/** A call of "able-mini" or "large" so many minutes after the first one. */
const at = (minutes: number, over: Partial<LoggedCall> = {}): LoggedCall =>
  callOf(Math.round(minutes * 1e6), { at: new Date(beganMs + minutes * minuteMs), prompt: "Fix it", ...over })

const failed = { quality: 0 }
const none = { quality: null, evidenceSource: null }
const spelled = (over: Partial<LoggedCall>) => ({ ...over, prompt: `Fix ${over.modelId} ${over.quality}` })

/** Twenty calls of each model, so that both are candidates, each a task of its own. */
const others = Array.from({ length: 40 }, (_, i) =>
  at(-100 + i, { id: `other-${i}`, prompt: `Sort the list ${i}`, modelId: i % 2 === 0 ? "able-mini" : "large" }))

const on = (calls: ReadonlyArray<LoggedCall>) => reportOn([...others, ...calls], { aims: [{ slider: 5, valueUsd: null }] })

describe("the rows of a log", () => {
  const cases: ReadonlyArray<readonly [string, number, ReadonlyArray<LoggedCall>]> = [
    ["of one text are attempts from a failure to a success", 2, [at(1, failed), at(2, failed), at(3), at(4), at(5)]],
    ["of one text are attempts by their time, in whatever order they stand", 1, [at(2), at(1, failed)]],
    ["of one text after a success are fresh tasks, before a failure too", 0, [at(1), at(2, failed)]],
    ["of one text that ran beside the failed one are fresh tasks", 0, [
      at(1, { ...failed, latencyMs: 90_000 }), at(2, { modelId: "large" })
    ]],
    ["of one text are fresh tasks a day later", 0, [at(1, failed), at(2 + dayMs / minuteMs)]],
    ["of one text and different users are fresh tasks", 0, [at(1, { ...failed, userId: "a" }), at(2, { userId: "b" })]],
    ["of one text that nobody judged, or that partly succeeded, begin nothing", 0, [
      at(1, none), at(2, { quality: 0.5 }), at(3)
    ]],
    ["of one text go on past what was not judged, and past an outage", 2, [
      at(1, failed), at(2, none), at(3, { ...none, isInfraFailure: true }), at(4)
    ]],
    ["of one session are tasks of their own, as a conversation is none", 0, [
      at(1, { ...spelled(failed), sessionId: "s" }), at(2, { ...spelled({ modelId: "large" }), sessionId: "s" })
    ]],
    ["of one named task are attempts, whatever their texts and verdicts", 3, [
      at(1, { taskId: "t" }), at(2, { taskId: "t", prompt: null }), at(2, { id: "beside", taskId: "t" }),
      at(9 + dayMs / minuteMs, { taskId: "t" })
    ]],
    ["of two named tasks are apart, though their text is one", 0, [
      at(1, { ...failed, taskId: "t" }), at(2, { taskId: "u" }), at(3)
    ]],
    ["without text and name are tasks of their own", 0, [at(1, { ...failed, prompt: null }), at(2, { prompt: "" })]]
  ]
  it.live.each(cases)("%s", ([, later, calls]) =>
    Effect.map(on(calls), ({ log, notes, tasks }) => {
      assert.strictEqual(tasks?.laterAttempts ?? 0, later)
      assert.strictEqual(log.judged, log.rows - log.infraFailures - later)
      assert.strictEqual(notes.some((note) => note.includes("other attempts")), later > 0)
    }))

  it("of which none is finished are joined in linear time, and teach by sixteen verdicts at most", () => {
    const tasks = makeLoggedTasks(defaults, 2)
    const ran = { modelId: "able-mini", arm: 0, costUsd: 1 }
    let most = 0
    for (let i = 0; i < 100_000; i++) {
      const row = rowOf({ atMs: i * 1_000, number: i, task: 7, isTaskNamed: false, quality: 0, latencyMs: 1 })
      most = Math.max(most, tasks.take(row, ran)?.length ?? 0)
    }
    // As many again, each of a task of its own name: the oldest are ended meanwhile, and none is lost.
    for (let i = 0; i < 110_000; i++) tasks.take(rowOf({ task: 100 + i, quality: 0.9 }), ran)
    const { attempts, costed, finished, retried, tasks: all } = tasks.finish()
    assert.strictEqual(most, 16)
    assert.deepStrictEqual([all, retried, attempts, finished], [110_001, 1, 210_000, 110_000])
    assert.strictEqual(costed.numerator, 210_000)
  })
})

/**
 * Tasks that the cheap model begins, and of which it solves four of five: the large one is tried on the others
 * and solves half of them.
 */
const retriedCalls = (count: number, of: (task: number) => Partial<LoggedCall>): ReadonlyArray<LoggedCall> => {
  const random = generator(3)
  return Array.from({ length: count }, (_, i) => {
    const isRight = random() < 0.8
    const own = { prompt: `Fix the test ${i}`, ...of(i) }
    const first = at(10 * i, { ...own, id: `first-${i}`, quality: isRight ? 1 : 0, costUsd: 0.001 })
    const second = { ...own, id: `second-${i}`, modelId: "large", quality: random() < 0.5 ? 1 : 0, costUsd: 0.01 }
    return isRight ? [first] : [first, at(10 * i + 2, second)]
  }).flat()
}

const planOf = ({ tasks }: BacktestReport, first: string, then: string) => {
  const plan = tasks?.plans.find((each) => each.first === first && each.then === then)
  assert.isDefined(plan)
  return plan
}

describe("a backtest of a log of second attempts", () => {
  // The twenty other tasks that the cheap model began it solved.
  const failing = 0.2 * 1_500 / 1_520
  const [successOfPlan, usdOfPlan] = [1 - failing / 2, 0.001 + failing * 0.01]
  const reported = Effect.runSync(Effect.cached(on(retriedCalls(1_500, (i) => i % 2 === 0 ? { taskId: `t-${i}` } : {}))))

  it.live("judges the plan that the log ran, and holds the truth in its intervals", () =>
    Effect.map(reported, (report) => {
      const { costUsd, failed, outcomes, sentence, success } = planOf(report, "able-mini", "large")
      assert.strictEqual(outcomes, failed)
      assert.isTrue(success !== null && success.low < successOfPlan && successOfPlan < success.high)
      assert.isTrue(costUsd !== null && costUsd.low < usdOfPlan && usdOfPlan < costUsd.high)
      assert.match(sentence, /^First able-mini, then large when it fails: success \d\d % \(.*for 1,000 tasks/)
      const { attemptsPerTask = 0, costPerFinishedUsd } = report.tasks ?? {}
      assert.closeTo(attemptsPerTask, 1.2, 0.03)
      // Twenty tasks more of the large model, all finished at its usual bill.
      const [usd, finished] = [1_520 * usdOfPlan + 20 * 0.001, 1_520 * successOfPlan + 20]
      assert.isTrue(costPerFinishedUsd!.low < usd / finished && usd / finished < costPerFinishedUsd!.high)
    }))

  it.live("takes no second attempt for a draw of any task: the large model has only its own first ones", () =>
    Effect.map(reported, ({ candidates, log }) => {
      const large = candidates.find(({ modelId }) => modelId === "large")
      assert.deepInclude(large, { rows: 20, labelled: 20, success: 1 })
      assert.strictEqual(log.judged, 1_540)
    }))

  it.live("shows tasks and plans on the terminal, on the page and in JSON, and writes none without a retry", () =>
    Effect.gen(function*() {
      const report = yield* reported
      const [text, page] = [tableOf(report, { isColoured: false }).replace(/\s+/g, " "), pageOf(report)]
      for (const sentence of [report.tasks!.sentence, planOf(report, "able-mini", "large").sentence]) {
        assert.include(text, sentence)
        assert.include(page, sentence)
      }
      const json: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(ReportSchema)(report)))
      assert.deepStrictEqual(Schema.decodeUnknownSync(ReportSchema)(json), report)
      const plain = yield* on([])
      assert.notProperty(plain, "tasks")
      assert.notInclude(pageOf(plain), "second attempts")
    }))

  it.live("says of how few outcomes it cannot judge a plan", () =>
    Effect.gen(function*() {
      const report = yield* on([at(1, failed), at(2, { modelId: "large" })])
      const { costUsd, sentence, success } = planOf(report, "able-mini", "large")
      assert.deepStrictEqual([success, costUsd], [null, null])
      assert.strictEqual(sentence, "First able-mini, then large when it fails: the log cannot tell: 1 of 30.")
      const unplanned = yield* on([at(1, { taskId: "t" }), at(2, { taskId: "t" })])
      assert.include(tableOf(unplanned, { isColoured: false }), "Of plans the log cannot tell: 0 of 30.")
    }))
})
