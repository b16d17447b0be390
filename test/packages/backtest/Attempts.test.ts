import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LoggedCall } from "../../../src/logs/LoggedCall.ts"
import { dayMs } from "../../../src/domain/Time.ts"
import { beganMs, callOf, reportOn } from "./logs.ts"

const minuteMs = 60_000

/** A call of "able-mini" or "large" so many minutes after the first one. */
const at = (minutes: number, over: Partial<LoggedCall> = {}): LoggedCall =>
  callOf(Math.round(minutes * 1e6), { at: new Date(beganMs + minutes * minuteMs), prompt: "Fix it", ...over })

const failed = { quality: 0 }
const none = { quality: null, evidenceSource: null }

/** Twenty calls of each model, so that both are candidates, each a task of its own. */
const others = Array.from({ length: 40 }, (_, i) =>
  at(-100 + i, { id: `other-${i}`, prompt: `Sort the list ${i}`, modelId: i % 2 === 0 ? "able-mini" : "large" }))

const on = (calls: ReadonlyArray<LoggedCall>) => reportOn([...others, ...calls], { sliders: [5] })

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
    Effect.map(on(calls), ({ log, notes }) => {
      assert.strictEqual(log.laterAttempts, later)
      assert.strictEqual(log.judged, others.length + calls.filter(({ isInfraFailure }) => !isInfraFailure).length - later)
      assert.strictEqual(notes.some((note) => note.includes("came after other attempts")), later > 0)
    }))

  it.live("that are later attempts count as spent", () =>
    Effect.map(on([at(1, failed), at(2, { costUsd: 7 })]), ({ spent }) => assert.isAbove(spent.usd, 7)))
})
