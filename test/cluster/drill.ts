// Clients that ask and report while something is broken behind them, and an audit of all that they were told.
import { PgClient } from "@effect/sql-pg"
import { Effect, Fiber, Redacted } from "effect"
import type { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { acmeKey, sendRequest, type Service } from "../support/Service.ts"
import { type Balancer, balanced } from "./balancer.ts"

/** What clients heard while something was broken behind them. */
export interface Heard {
  /** Recommendations answered with 200 and written down, and the model each recommended. */
  readonly recommended: Map<string, string>
  /** Feedback answers, word for word, by recommendation. */
  readonly acknowledged: Map<string, string>
  /** The key that each recommendation was asked with. */
  readonly keys: Map<string, string>
  /** Answers by path and status; 0 where none came. */
  readonly statuses: Map<string, number>
  /** Recommendations that were answered without being written down, which said so. */
  readonly warned: Set<string>
}

export const nothingHeard = (): Heard =>
  ({ recommended: new Map(), acknowledged: new Map(), keys: new Map(), statuses: new Map(), warned: new Set() })

export const feedbackOn = (recommendationId: string, modelId: string) => ({
  recommendation_id: recommendationId,
  chosen_model_id: modelId,
  outcome: "success",
  quality_score: 0.9,
  evidence_source: "gate",
  actual_cost_usd: 0.001
})

const told = Effect.fnUntraced(function*(
  service: Pick<Service, "baseUrl" | "key">,
  heard: Heard,
  path: string,
  body: object
) {
  const { status, text } = yield* sendRequest(service, path, body).pipe(
    Effect.catchTag("NoAnswer", () => Effect.succeed({ status: 0, text: "" }))
  )
  const kind = `${path} ${status}`
  heard.statuses.set(kind, (heard.statuses.get(kind) ?? 0) + 1)
  return status === 200 ? JSON.parse(text) as Record<string, unknown> & { readonly text?: string } : null
})

/**
 * Asks and reports, over and over; a report that found no ear is told again, as the official client does. Every
 * third recommendation stays without a report, so that some are open whenever something breaks.
 */
const client = (service: Pick<Service, "baseUrl" | "key">, heard: Heard, name: string) =>
  Effect.gen(function*() {
    for (let turn = 0;; turn++) {
      const task = { task: { task: `Fix the failing unit test ${turn} of ${name}`, task_type: "code" } }
      const advice = yield* told(service, heard, "/v1/recommend", task)
      if (advice === null) {
        yield* Effect.sleep(100)
        continue
      }
      const { recommendation_id, recommended_model, warnings } = advice as unknown as {
        readonly recommendation_id: string
        readonly recommended_model: { readonly model_id: string }
        readonly warnings: ReadonlyArray<string>
      }
      heard.keys.set(recommendation_id, service.key)
      if (warnings.includes("memory_unavailable")) {
        heard.warned.add(recommendation_id)
        yield* Effect.sleep(50)
        continue
      }
      heard.recommended.set(recommendation_id, recommended_model.model_id)
      if (turn % 3 === 2) continue
      const body = feedbackOn(recommendation_id, recommended_model.model_id)
      for (let attempt = 0; attempt < 3; attempt++) {
        const answer = yield* told(service, heard, "/v1/feedback", body)
        if (answer !== null) {
          if (answer["accepted"] === true) heard.acknowledged.set(recommendation_id, JSON.stringify(answer))
          break
        }
        yield* Effect.sleep(50)
      }
    }
  })

/** Runs `work` while this many clients, which have the keys in turns, ask and report through the balancer. */
export const underLoad = <A, E, R>(
  { url }: Pick<Balancer, "url">,
  heard: Heard,
  clients: number,
  work: Effect.Effect<A, E, R>,
  keys: ReadonlyArray<string> = [acmeKey]
) =>
  Effect.gen(function*() {
    const loads = yield* Effect.forEach(
      Array.from({ length: clients }, (_, n) => n),
      (n) => Effect.forkChild(client({ baseUrl: url, key: keys[n % keys.length] ?? acmeKey }, heard, `client-${n}`))
    )
    const result = yield* work
    yield* Fiber.interruptAll(loads)
    return result
  })

/** Waits until this many more reports were acknowledged. */
export const acknowledgedMore = (heard: Heard, more: number) => {
  const enough = heard.acknowledged.size + more
  return Effect.repeat(Effect.andThen(Effect.sleep(20), Effect.sync(() => heard.acknowledged.size)), {
    until: (size) => size >= enough
  })
}

export interface Kept {
  /** Acknowledged reports whose repetition is not answered word for word, or that left no row. */
  readonly lost: ReadonlyArray<string>
  /** Recommendations that left no row. */
  readonly forgotten: ReadonlyArray<string>
  /** Recommendations that stayed without a report, and that do not take one now without a warning. */
  readonly closed: ReadonlyArray<string>
  /** Observations beyond one per recommendation. */
  readonly twice: number
}

/** Whether a feedback's answer accepts it and warns of nothing. */
const isWelcome = (text: string): boolean => {
  const { accepted, warnings } = JSON.parse(text) as Partial<Pick<FeedbackResponse, "accepted" | "warnings">>
  return accepted === true && warnings?.length === 0
}

/** What the database holds: each decision with whether it has its outcome, and what was counted of them. */
const rowsIn = (databaseUrl: string) =>
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    // One statement, one moment: a report that nobody waited for may settle meanwhile.
    const [row] = yield* sql<{
      readonly decisions: ReadonlyArray<readonly [id: string, isTold: boolean]> | null
      readonly observed: number
      readonly outcomes: number
    }>`select (select jsonb_agg(jsonb_build_array(recommendation_id, feedback_at is not null))
        from decision join decision_figures using (account_id, created_at, recommendation_id))
        as decisions,
      (select count(*)::int from observation) as observed,
      (select coalesce(sum(outcomes), 0)::int from outcome_record) as outcomes`
    return { observed: row?.observed ?? 0, outcomes: row?.outcomes ?? 0, known: new Map(row?.decisions) }
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(databaseUrl), maxConnections: 1 })))

/**
 * Looks in the database for what clients were told, repeats every acknowledged report, and reports on every open
 * recommendation.
 */
export const audit = Effect.fnUntraced(function*(
  databaseUrl: string,
  { url }: Pick<Balancer, "url">,
  heard: Heard
) {
  yield* balanced({ url })
  const { known } = yield* rowsIn(databaseUrl)
  const lost = new Set([...heard.acknowledged.keys()].filter((id) => known.get(id) !== true))
  const closed: Array<string> = []
  yield* Effect.forEach(heard.recommended, ([id, modelId]) =>
    Effect.gen(function*() {
      const key = heard.keys.get(id) ?? acmeKey
      const { status, text } = yield* sendRequest({ baseUrl: url, key }, "/v1/feedback", feedbackOn(id, modelId))
      const before = heard.acknowledged.get(id)
      if (before !== undefined) {
        if (status !== 200 || JSON.stringify(JSON.parse(text)) !== before) lost.add(id)
      } else if (status !== 200 || !isWelcome(text)) closed.push(id)
    }), { concurrency: 4, discard: true })
  const { known: after, observed, outcomes } = yield* rowsIn(databaseUrl)
  const toldRows = [...after.values()].filter((isTold) => isTold).length
  const kept: Kept = {
    lost: [...lost],
    forgotten: [...heard.recommended.keys()].filter((id) => !known.has(id)),
    closed,
    // Every told decision is one observation and one count, whoever told it how often.
    twice: Math.abs(observed - toldRows) + Math.abs(outcomes - toldRows)
  }
  return kept
})
