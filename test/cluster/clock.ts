import { Effect, Redacted } from "effect"
import { FeedbackResponse } from "../../src/domain/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { layerPostgres } from "../../src/sql/Database.ts"
import { prepareMonths, purge } from "../../src/retention/Retention.ts"
import { onServer, temporaryDirectory } from "../support/Databases.ts"
import { alwaysOff, fakeClock } from "../support/FakeTime.ts"
import { scopedCluster } from "../support/PostgresCluster.ts"
import { requestJson, type Service, startService } from "../support/Service.ts"

/** Clocks that go wrong, of copies and of the machine with the database, and time that goes by as it should. */

/** A PostgreSQL on a clock of its own, and what a program needs to be on it too. */
export const clockedCluster = Effect.gen(function*() {
  const clock = yield* fakeClock
  const cluster = yield* scopedCluster({ environment: clock.environment })
  return { ...clock, url: cluster.url }
})

type Clocked = Effect.Success<typeof clockedCluster>

const recommend = (service: Service) =>
  requestJson(RecommendResponse, service, "/v1/recommend", { task: { task: "Write a function that sums a list" } })

const tell = (service: Service, { recommendationId, recommendedModel }: RecommendResponse) =>
  requestJson(FeedbackResponse, service, "/v1/feedback", {
    recommendation_id: recommendationId, chosen_model_id: recommendedModel.modelId, outcome: "success",
    evidence_source: "gate"
  })

const ids = (url: string) =>
  Effect.map(
    onServer<{ readonly id: string }>(url, "select recommendation_id::text as id from decision"),
    (rows) => new Set(rows.map(({ id }) => id))
  )

/** One sweep, as the service's own. */
const sweep = (url: string) =>
  Effect.andThen(prepareMonths, purge({ days: 400, textDays: 400, isDry: false })).pipe(
    Effect.provide(layerPostgres(Redacted.make(url), "ignore"))
  )

/** Sets the clock, and waits until the service has seen that the database's has made the same step. */
const jump = (clocked: Clocked, service: Service, offset: string) =>
  clocked.set(offset).pipe(Effect.andThen(recommend(service)), Effect.tap(Effect.sleep("1500 millis")))

const offsetOf = (days: number) => `${days < 0 ? "-" : "+"}${Math.abs(Math.round(days * 86_400))}`

/** What came of some hundred days that went by in steps, with decisions on each. */
export interface Passed {
  readonly days: number
  readonly decisions: number
  readonly dropped: number
  /** Decisions that are there and should have gone 432 days ago and more; those gone that were younger than 400. */
  readonly overdue: number
  readonly early: number
  readonly refused: ReadonlyArray<string>
}

/** Lets so many days go by, each step with decisions, feedback on them and a sweep. */
export const timeGoesBy = (clocked: Clocked, options: { readonly days: number; readonly stepDays: number }) =>
  Effect.gen(function*() {
    const { environment, url } = clocked
    const service = yield* startService({
      ...environment, DATABASE_URL: url, SEXTANT_DATA_DIR: yield* temporaryDirectory
    })
    const made: Array<{ readonly id: string; readonly day: number }> = []
    const refused: Array<string> = []
    let dropped = 0
    for (let day = 0; day <= options.days; day += options.stepDays) {
      yield* jump(clocked, service, offsetOf(day))
      for (let i = 0; i < 3; i++) {
        const advice = yield* recommend(service)
        made.push({ id: advice.recommendationId, day })
        yield* tell(service, advice)
      }
      const report = yield* sweep(url)
      if (report !== null && report.refusal !== null) refused.push(`day ${day}: ${report.refusal}`)
      dropped += (report?.purged ?? []).filter(({ accountId, table }) => accountId === null && !table.includes("figures")).length
    }
    const there = yield* ids(url)
    const last = options.days - options.days % options.stepDays
    const passed: Passed = {
      days: last,
      decisions: made.length,
      dropped,
      overdue: made.filter(({ day, id }) => last - day > 432 && there.has(id)).length,
      early: made.filter(({ day, id }) => last - day < 400 && !there.has(id)).length,
      refused
    }
    return passed
  }).pipe(Effect.scoped)

/** What came of jumps of a clock: what was acknowledged, and of that what is not there any more. */
export interface Jumped {
  readonly jumps: number
  readonly acknowledged: number
  readonly lost: number
  readonly refusals: number
  /** Feedback on decisions of before a jump that was not accepted. */
  readonly unaccepted: number
}

/** Has the machine's clock, the database's with it, jump and jump back, with traffic and sweeps at each end. */
export const machineJumps = (clocked: Clocked, daysOf: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const { environment, url } = clocked
    yield* clocked.set("+0")
    const service = yield* startService({
      ...environment, DATABASE_URL: url, SEXTANT_DATA_DIR: yield* temporaryDirectory
    })
    const acknowledged: Array<RecommendResponse> = []
    const some = Effect.gen(function*() {
      for (let i = 0; i < 5; i++) acknowledged.push(yield* recommend(service))
    })
    let refusals = 0
    let unaccepted = 0
    yield* some
    yield* sweep(url)
    for (const days of daysOf) {
      for (const to of [days, 0]) {
        yield* jump(clocked, service, offsetOf(to))
        for (const advice of acknowledged.slice(-3)) {
          if (!(yield* tell(service, advice)).accepted) unaccepted++
        }
        // Once on the jump itself, once with decisions of the new time, and once more a day later.
        refusals += Number((yield* sweep(url))?.refusal != null)
        yield* some
        refusals += Number((yield* sweep(url))?.refusal != null)
        yield* jump(clocked, service, offsetOf(to + 1.1))
        refusals += Number((yield* sweep(url))?.refusal != null)
      }
    }
    yield* jump(clocked, service, "+0")
    const there = yield* ids(url)
    const result: Jumped = {
      jumps: daysOf.length,
      acknowledged: acknowledged.length,
      lost: acknowledged.filter(({ recommendationId }) => !there.has(recommendationId)).length,
      refusals,
      unaccepted
    }
    return result
  }).pipe(Effect.scoped)

/** What copies with clocks of their own did to a ledger they share. */
export interface Apart {
  readonly copies: number
  readonly acknowledged: number
  readonly lost: number
  /** Decisions dated more than a minute from the database's time. */
  readonly misdated: number
  /** Feedback between copies that was not accepted, or told that it was late. */
  readonly disputed: number
}

/** Starts copies whose clocks are so many days off, and has each recommend and report on the others' decisions. */
export const copiesApart = (url: string, daysOf: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const acknowledged: Array<RecommendResponse> = []
    let disputed = 0
    for (const days of daysOf) {
      yield* Effect.scoped(Effect.gen(function*() {
        const copy = yield* startService({
          DATABASE_URL: url, SEXTANT_DATA_DIR: yield* temporaryDirectory, ...alwaysOff(offsetOf(days))
        })
        for (let i = 0; i < 5; i++) acknowledged.push(yield* recommend(copy))
        for (const advice of acknowledged.slice(-10)) {
          const { accepted, warnings } = yield* tell(copy, advice)
          if (!accepted || warnings.some((each) => each.startsWith("late"))) disputed++
        }
        yield* sweep(url)
      }))
    }
    const rows = yield* onServer<{ readonly id: string; readonly apart: number }>(url, `
      select recommendation_id::text as id,
        abs(extract(epoch from recorded_at - created_at))::float8 as apart from decision`)
    const there = new Map(rows.map(({ apart, id }) => [id, apart]))
    const result: Apart = {
      copies: daysOf.length,
      acknowledged: acknowledged.length,
      lost: acknowledged.filter(({ recommendationId }) => !there.has(recommendationId)).length,
      misdated: acknowledged.filter(({ recommendationId }) => (there.get(recommendationId) ?? 0) > 60).length,
      disputed
    }
    return result
  })
