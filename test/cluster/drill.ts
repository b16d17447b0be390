import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Fiber, Redacted, type Scope } from "effect"
import { acmeKey, sendRequest, type Service, type ServiceFailed, startService } from "../support/Service.ts"
import { type Balancer, balanced } from "./balancer.ts"

/** What clients heard while something was broken behind them. */
export interface Heard {
  /** Recommendations answered with 200 and written down, and the model each recommended. */
  readonly recommended: Map<string, string>
  /** Feedback answers, word for word, by recommendation. */
  readonly acknowledged: Map<string, string>
  /** Answers by path and status; 0 where none came. */
  readonly statuses: Map<string, number>
  /** Recommendations that were answered without being written down, which said so. */
  unwritten: number
  /** Which these were. */
  readonly warned: Set<string>
}

export const nothingHeard = (): Heard =>
  ({ recommended: new Map(), acknowledged: new Map(), statuses: new Map(), unwritten: 0, warned: new Set() })

export const feedbackOn = (recommendationId: string, modelId: string) => ({
  recommendation_id: recommendationId,
  chosen_model_id: modelId,
  outcome: "success",
  quality_score: 0.9,
  evidence_source: "gate",
  actual_cost_usd: 0.001
})

const told = Effect.fnUntraced(function*(url: string, heard: Heard, path: string, body: object) {
  const { status, text } = yield* sendRequest({ baseUrl: url, key: acmeKey }, path, body).pipe(
    Effect.catchTag("NoAnswer", () => Effect.succeed({ status: 0, text: "" }))
  )
  const kind = `${path} ${status}`
  heard.statuses.set(kind, (heard.statuses.get(kind) ?? 0) + 1)
  return status === 200 ? JSON.parse(text) as Record<string, unknown> & { readonly text?: string } : null
})

/** Asks and reports, over and over; a report that found no ear is told again, as the official client does. */
const client = (url: string, heard: Heard, name: string) =>
  Effect.gen(function*() {
    for (let turn = 0;; turn++) {
      const task = { task: { task: `Fix the failing unit test ${turn} of ${name}`, task_type: "code" } }
      const advice = yield* told(url, heard, "/v1/recommend", task)
      if (advice === null) {
        yield* Effect.sleep(100)
        continue
      }
      const { recommendation_id, recommended_model, warnings } = advice as unknown as {
        readonly recommendation_id: string
        readonly recommended_model: { readonly model_id: string }
        readonly warnings: ReadonlyArray<string>
      }
      if (warnings.includes("memory_unavailable")) {
        heard.unwritten++
        heard.warned.add(recommendation_id)
        yield* Effect.sleep(50)
        continue
      }
      heard.recommended.set(recommendation_id, recommended_model.model_id)
      const body = feedbackOn(recommendation_id, recommended_model.model_id)
      for (let attempt = 0; attempt < 3; attempt++) {
        const answer = yield* told(url, heard, "/v1/feedback", body)
        if (answer !== null) {
          if (answer["accepted"] === true) heard.acknowledged.set(recommendation_id, JSON.stringify(answer))
          break
        }
        yield* Effect.sleep(50)
      }
    }
  })

/** Runs `work` while this many clients ask and report through the balancer. */
export const underLoad = <A, E, R>(
  { url }: Balancer,
  heard: Heard,
  clients: number,
  work: Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const loads = yield* Effect.forEach(
      Array.from({ length: clients }, (_, n) => `client-${n}`),
      (name) => Effect.forkChild(client(url, heard, name))
    )
    const result = yield* work
    yield* Fiber.interruptAll(loads)
    return result
  })

/** A copy of this checkout's build, or of the one in that directory. */
export const copy = (
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
  directory?: string
): Effect.Effect<Service, ServiceFailed, Scope.Scope> =>
  startService({ DATABASE_URL: databaseUrl, SEXTANT_DRAIN_DELAY_MS: "500", ...environment }, directory)

/** Waits until this many more reports were acknowledged. */
export const acknowledgedMore = (heard: Heard, more: number) => {
  const enough = heard.acknowledged.size + more
  return Effect.repeat(Effect.andThen(Effect.sleep(20), Effect.sync(() => heard.acknowledged.size)), {
    until: (size) => size >= enough
  })
}

/** How long until a report is acknowledged again, ms. */
export const recovered = Effect.fnUntraced(function*(heard: Heard) {
  const began = yield* Clock.currentTimeMillis
  yield* acknowledgedMore(heard, 1)
  return (yield* Clock.currentTimeMillis) - began
})

export interface Kept {
  /** Acknowledged reports whose repetition is not answered word for word, or that left no row. */
  readonly lost: ReadonlyArray<string>
  /** Recommendations that left no row. */
  readonly forgotten: ReadonlyArray<string>
  /** Observations beyond one per recommendation. */
  readonly twice: number
}

/** A value as text, its fractions to six digits: an older build prints more of them. */
const shownOf = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => typeof each === "number" ? Number(each.toPrecision(6)) : each)

/** Whether two answers are equal in every field that both have; a newer build's answer has more of them. */
const isAlikeWhereBothSpeak = (one: string, other: string): boolean => {
  const [first, second] = [JSON.parse(one), JSON.parse(other)] as [Record<string, unknown>, Record<string, unknown>]
  const shared = Object.keys(first).filter((field) => field in second)
  return shared.includes("record_id")
    && shared.every((field) => shownOf(first[field]) === shownOf(second[field]))
}

/**
 * Looks in the database for what clients were told, and repeats a part of the reports at the balancer. Copies of
 * one build answer word for word as before; of two, in the fields that both know.
 */
export const audit = Effect.fnUntraced(function*(
  databaseUrl: string,
  { url }: Balancer,
  heard: Heard,
  builds: "one build" | "two builds" = "one build"
) {
  const isSame = (again: string, text: string) =>
    builds === "one build" ? JSON.stringify(JSON.parse(again)) === text : isAlikeWhereBothSpeak(again, text)
  yield* balanced({ url, use: () => {}, counts: { again: 0, failed: 0 } })
  const rows = yield* Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    // One statement, one moment: a report that nobody waited for may settle meanwhile.
    const [row] = yield* sql<{
      readonly decisions: ReadonlyArray<readonly [id: string, isTold: boolean]>
      readonly observed: number
      readonly outcomes: number
    }>`select (select jsonb_agg(jsonb_build_array(recommendation_id, feedback_at is not null)) from decision)
        as decisions,
      (select count(*)::int from observation) as observed,
      (select coalesce(sum(outcomes), 0)::int from outcome_record) as outcomes`
    return row ?? { decisions: [], observed: 0, outcomes: 0 }
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(databaseUrl), maxConnections: 1 })))
  const known = new Map(rows.decisions)
  const lost = [...heard.acknowledged.keys()].filter((id) => known.get(id) !== true)
  for (const [id, text] of [...heard.acknowledged].slice(-50)) {
    const again = yield* sendRequest({ baseUrl: url, key: acmeKey }, "/v1/feedback",
      feedbackOn(id, heard.recommended.get(id) ?? ""))
    if (again.status !== 200 || !isSame(again.text, text)) lost.push(id)
  }
  const toldRows = rows.decisions.filter(([, isTold]) => isTold).length
  const kept: Kept = {
    lost,
    forgotten: [...heard.recommended.keys()].filter((id) => !known.has(id)),
    // Every told decision is one observation and one count, whoever told it how often.
    twice: Math.abs(rows.observed - toldRows) + Math.abs(rows.outcomes - toldRows)
  }
  return kept
})
