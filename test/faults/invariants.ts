import { assert } from "@effect/vitest"
import { Clock, Effect, Schedule, Schema } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { DiagnoseResponse, MemoryHealthResponse } from "../../src/domain/Lesson.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { SavingsResponse } from "../../src/domain/reports/Report.ts"
import { type Answer, sendRequest, requestJson, type NoAnswer, type Service, ServiceFailed } from "../support/Service.ts"

/*
 * What holds through every fault: recommend, diagnose and memory health answer without a 5xx and in time, what
 * was acknowledged is counted once, and all is well again within seconds of the fault's end.
 */

/** How long after the end of a fault all is well, in milliseconds, on a machine that is not late itself. */
export const recoveryMs = 5_000
/** How much longer it may take because the machine is busy with other suites, in milliseconds. */
const recoveryAllowanceMs = 15_000
/** By how much an answer may miss its budget, in milliseconds. */
const marginMs = 50
/** After that an answer hangs: everything that is waited for has a limit, and they add up to less. */
const hangMs = 15_000

/** Answers, and how late a timer of this process ran meanwhile: by so much the machine itself was busy. */
export interface Asked {
  readonly answers: ReadonlyArray<RecommendResponse>
  readonly latenessMs: number
}

const lateness = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const delay = monitorEventLoopDelay({ resolution: 10 })
    delay.enable()
    return effect.pipe(
      Effect.ensuring(Effect.sync(() => delay.disable())),
      Effect.map((value) => ({ value, latenessMs: Math.max(0, delay.max / 1e6 - 10) }))
    )
  })

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/**
 * The service's own `latency_ms`, from the request's arrival at the engine to its answer, was within the
 * budget and 50 ms: the middle one of all answers, as a machine that runs other suites holds up single ones,
 * and what a timer beside them was late by is not held against the service.
 */
export const inTime = ({ answers, latenessMs }: Asked, budgetMs: number): void => {
  assert.isAtMost(median(answers.map((answer) => answer.latencyMs)), budgetMs + marginMs + latenessMs)
}

export type Observed<A> = Effect.Effect<A, NoAnswer | ServiceFailed | Schema.SchemaError>

const decodeFeedback = Schema.decodeEffect(Schema.fromJsonString(FeedbackResponse))

/** The body of a feedback, and the answer that acknowledged it, word for word. */
interface Told {
  readonly body: object
  readonly text: string
}

/** One account's traffic in a namespace of its own, so that its figures are its alone. */
export interface Traffic {
  /** So many recommendations, one after another; each must be a 200. */
  readonly recommend: (count?: number, over?: object) => Observed<Asked>
  /** A feedback on the answer; what was acknowledged is remembered. */
  readonly tell: (answer: RecommendResponse, over?: object) => Observed<Answer & { readonly body: object }>
  /** As `tell`, and it must have been accepted: what it warned of. */
  readonly told: (answer: RecommendResponse, over?: object) => Observed<ReadonlyArray<string>>
  /** Diagnose and memory health, each a 200: what they warned of. */
  readonly insight: Observed<ReadonlyArray<string>>
  /** Until answers warn of nothing and feedback goes through: how long that took, in milliseconds. */
  readonly recovers: Observed<number>
  /** What has no answer is told again; then every feedback is in the ledger and in memory, once, and is answered as it was. */
  readonly countedOnce: Observed<void>
  readonly acknowledged: Map<string, Told>
}

const isWell = (warnings: ReadonlyArray<string>) =>
  !warnings.some((warning) => /^(memory_unavailable|lane_numbers_unavailable|account_settings_unavailable|budget_unavailable|recall_timeout|.*_failed|prices_stale)$/.test(warning))

let names = 0

export const trafficOf = (service: Pick<Service, "baseUrl" | "key">): Traffic => {
  const namespace = `traffic-${names++}`
  const acknowledged = new Map<string, Told>()
  /** Sent, and not acknowledged: refused for now, or cut off with its answer. */
  const unacknowledged = new Map<string, object>()
  let turn = 0
  const once = (over: object) =>
    Effect.gen(function*() {
      const began = yield* Clock.currentTimeMillis
      const answer = yield* requestJson(RecommendResponse, service, "/v1/recommend", {
        task: { task: `Fix the failing unit test ${turn++}`, task_type: "code", difficulty: "medium" },
        namespace,
        allow_llm_escalation: false,
        ...over
      })
      assert.isBelow((yield* Clock.currentTimeMillis) - began, hangMs, "the answer took as long as a hang")
      return answer
    })
  const recommend: Traffic["recommend"] = (count = 1, over = {}) =>
    Effect.map(lateness(Effect.forEach(Array.from({ length: count }), () => once(over))), ({ latenessMs, value }) =>
      ({ answers: value, latenessMs }))

  const send = (recommendationId: string, body: object) =>
    Effect.gen(function*() {
      if (!acknowledged.has(recommendationId)) unacknowledged.set(recommendationId, body)
      const { status, text } = yield* sendRequest(service, "/v1/feedback", body)
      if (status === 200 && (yield* decodeFeedback(text)).accepted) {
        unacknowledged.delete(recommendationId)
        acknowledged.set(recommendationId, { body, text })
      }
      return { status, text, body }
    })

  const tell: Traffic["tell"] = (answer, over = {}) =>
    Effect.suspend(() =>
      send(answer.recommendationId, {
        recommendation_id: answer.recommendationId,
        chosen_model_id: answer.recommendedModel.modelId,
        outcome: "success",
        quality_score: 0.9,
        evidence_source: "gate",
        actual_cost_usd: 0.001,
        ...over
      }))

  const told: Traffic["told"] = (answer, over = {}) =>
    Effect.gen(function*() {
      const { status, text } = yield* tell(answer, over)
      assert.strictEqual(status, 200, text)
      const { accepted, warnings } = yield* decodeFeedback(text)
      assert.isTrue(accepted, text)
      return warnings
    })

  const insight: Traffic["insight"] = Effect.gen(function*() {
    const health = yield* requestJson(MemoryHealthResponse, service, `/v1/memory/health?namespace=${namespace}`)
    const diagnosed = yield* requestJson(DiagnoseResponse, service, "/v1/diagnose", { error_text: "TypeError", namespace })
    return [...new Set([...health.warnings, ...diagnosed.warnings])]
  })

  const recovers: Traffic["recovers"] = Effect.gen(function*() {
    const began = yield* Clock.currentTimeMillis
    const well = Effect.gen(function*() {
      const { answers } = yield* recommend(1)
      const [answer] = answers
      if (answer === undefined || !isWell(answer.warnings)) {
        return yield* new ServiceFailed({ message: `still ${answer?.warnings.join(", ")}` })
      }
      // What waits for an external memory goes out before new feedback does.
      const told = yield* tell(answer)
      if (told.status !== 200 || !isWell((yield* decodeFeedback(told.text)).warnings)) {
        return yield* new ServiceFailed({ message: `feedback is still answered ${told.text}` })
      }
    })
    let last = ""
    yield* well.pipe(
      Effect.tapError((failure) => Effect.sync(() => last = failure.message)),
      Effect.retry(Schedule.spaced("100 millis")),
      Effect.timeoutOrElse({
        duration: recoveryMs + recoveryAllowanceMs,
        orElse: () => new ServiceFailed({ message: `not recovered: ${last}` })
      })
    )
    return (yield* Clock.currentTimeMillis) - began
  })

  const countedOnce: Traffic["countedOnce"] = Effect.gen(function*() {
    // As an official client does with what it has no answer to; some of it may have been counted already.
    for (const [recommendationId, body] of unacknowledged) {
      const { status, text } = yield* send(recommendationId, body)
      assert.strictEqual(status, 200, text)
    }
    for (const { body, text } of acknowledged.values()) {
      const again = yield* sendRequest(service, "/v1/feedback", body)
      assert.deepStrictEqual([again.status, again.text], [200, text])
    }
    const counts = Effect.gen(function*() {
      const { summary } = yield* requestJson(SavingsResponse, service, `/v1/savings?namespace=${namespace}`)
      const { entryCounts } = yield* requestJson(MemoryHealthResponse, service, `/v1/memory/health?namespace=${namespace}`)
      const found = [summary.realized.nReconciled, entryCounts["observation"] ?? 0]
      if (found.some((count) => count < acknowledged.size)) {
        return yield* new ServiceFailed({ message: `${acknowledged.size} acknowledged, ${found.join(" and ")} kept` })
      }
      return found
    })
    const found = yield* Effect.retry(counts, { schedule: Schedule.spaced("250 millis"), times: 120 })
    assert.deepStrictEqual(found, [acknowledged.size, acknowledged.size])
  })

  return { recommend, tell, told, insight, recovers, countedOnce, acknowledged }
}

/** The warnings of each answer, in order. */
export const warningsOf = ({ answers }: Asked): ReadonlyArray<ReadonlyArray<string>> =>
  answers.map(({ warnings }): ReadonlyArray<string> => warnings)
