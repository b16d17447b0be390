/* Handles `GET /v1/strategies`, `POST /v1/diagnose` and `GET /v1/memory/health`. */
import { Effect } from "effect"
import type { Api } from "../api/Api.ts"
import { CallerIfVerifiable, CurrentCaller } from "../api/Authorization.ts"
import type { DiagnoseResponse, FailureLesson, MemoryHealthResponse, Strategy } from "../domain/Lesson.ts"
import { type AccountId, laneOf } from "../domain/Scope.ts"
import { escapedLine, shown } from "../domain/text/HiddenCharacters.ts"
import type { RecommendWarning } from "../domain/Warning.ts"
import { untriedStrategy, untriedType } from "../reports/advice/Untried.ts"
import { Reports } from "../reports/Reports.ts"
import { type HealthCounts, Memory, type MemoryUnavailable } from "../memory/Memory.ts"
import type { Handlers } from "./Endpoints.ts"
import { unavailable } from "./limits/Retry.ts"

/** Maximum time that a request waits for memory, or for the report on untried models. */
const memoryTimeout = "5 seconds"

const unreachable: RecommendWarning = "memory_unavailable"

interface Diagnosis {
  readonly lessons: ReadonlyArray<FailureLesson>
  readonly total: number
}

const noCounts: HealthCounts = {
  entryCounts: {},
  staleEntries: 0,
  contradictions: 0,
  lowConfidenceCount: 0,
  promotionCandidates: 0,
  sectionHealth: []
}

const summaryOf = ({ lessons, total }: Diagnosis): string => {
  const [closest] = lessons
  if (closest === undefined) return "No failure lesson matches this error."
  const matches = total === 1 ? "lesson matches" : "lessons match"
  return `${total} failure ${matches}; the closest: ${closest.content}`
}

/** Removes hidden characters from a lesson's text, because memory derived it from callers' texts. */
const shownLesson = (lesson: FailureLesson): FailureLesson => ({ ...lesson, content: shown(lesson.content) })
const shownStrategy = (strategy: Strategy): Strategy =>
  ({ ...strategy, strategyId: escapedLine(strategy.strategyId), description: shown(strategy.description) })

/** Returns memory's answer; null if memory or the store of keys is down. */
const ifReachable = <A>(read: (accountId: AccountId) => Effect.Effect<A, MemoryUnavailable>) =>
  CallerIfVerifiable.use((caller) =>
    caller === null ? Effect.succeed(null) : read(caller.accountId).pipe(
      Effect.timeout(memoryTimeout),
      Effect.catch((cause) => Effect.as(Effect.logWarning("Memory is unavailable", cause), null))
    )
  )

export const handlers = Effect.gen(function*() {
  const memory = yield* Memory
  const reports = yield* Reports
  const untried = (accountId: AccountId, namespace: string | null) =>
    reports.untried(accountId, namespace).pipe(
      Effect.timeout(memoryTimeout),
      Effect.map((kinds) => kinds.slice(0, 1).map(untriedStrategy)),
      Effect.catch((cause) => Effect.as(Effect.logWarning("Nothing is said of what to try", cause), []))
    )
  return {
    strategies: ({ query }) => {
      const namespace = query.namespace ?? null
      const lane = laneOf(namespace)
      const { lesson_types: lessonTypes = [], max_strategies: limit } = query
      const isAsked = lessonTypes.length === 0 || lessonTypes.includes(untriedType)
      return CurrentCaller.use(({ accountId }) =>
        Effect.all([
          isAsked ? untried(accountId, namespace) : Effect.succeed([]),
          memory.strategies({ accountId, lane, lessonTypes, limit }).pipe(
            Effect.timeout(memoryTimeout), Effect.catch(unavailable("Memory"))
          )
        ], { concurrency: 2 })
      ).pipe(
        Effect.map(([toTry, learned]) => {
          const rules = learned.slice(0, Math.max(1, limit - toTry.length))
          const strategies = [...rules, ...toTry].slice(0, limit)
          return { namespace, lane, strategies: strategies.map(shownStrategy), count: strategies.length }
        })
      )
    },
    diagnose: Effect.fnUntraced(function*({ payload }) {
      const { errorText, errorType, limit, namespace, userId } = payload
      const lane = laneOf(namespace)
      const found = yield* ifReachable((accountId) =>
        Effect.map(
          memory.diagnose({ accountId, lane, errorText, errorType, userId, limit }),
          ({ lessons, total }) => ({ lessons: lessons.map(shownLesson), total })
        )
      )
      return {
        namespace,
        lane,
        failureLessons: found?.lessons ?? [],
        summary: found === null ? "" : summaryOf(found),
        totalFailureLessons: found?.total ?? 0,
        warnings: found === null ? [unreachable] : []
      } satisfies DiagnoseResponse
    }),
    memoryHealth: ({ query }) => {
      const namespace = query.namespace ?? null
      const lane = laneOf(namespace)
      const staleThresholdDays = query.stale_threshold_days
      return Effect.map(
        ifReachable((accountId) => memory.health({ accountId, lane, staleThresholdDays })),
        (counts): MemoryHealthResponse => ({
          namespace,
          lane,
          ...(counts ?? noCounts),
          warnings: counts === null ? [unreachable] : []
        })
      )
    }
  } satisfies Handlers<typeof Api.groups.insight>
})
