/* The driver of `Memory` in the hosted backend that speaks the control protocol. */
import { Clock, Effect, Layer, Schema } from "effect"
import type { LaneId } from "../../domain/Scope.ts"
import { excerptOf } from "../../domain/Task.ts"
import { cut, textLimits } from "../../domain/text/TextLimits.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { Memory, MemoryUnavailable, type RecallQuery } from "../Memory.ts"
import { sentBefore } from "../WriteSteps.ts"
import { failureLessonOf, healthOf, strategyOf } from "./MubitAnswers.ts"
import { MubitClient } from "./MubitClient.ts"
import { type Control, makeControl } from "./MubitControl.ts"
import { countOf, listOf } from "./MubitFields.ts"
import { isElsewhere, outcomeIntent } from "./MubitItems.ts"
import { recalledFrom } from "./MubitRecall.ts"
import { type MubitSettings, mubitSettings } from "./MubitSettings.ts"
import { makeWrites } from "./MubitWrites.ts"

const limitOf = (
  { modelIds, perModel }: Pick<RecallQuery, "modelIds" | "perModel">,
  { entriesMax, entriesMin }: MubitSettings
): number => Math.min(entriesMax, Math.max(entriesMin, perModel * modelIds.length))

/** Says how many of an answer's items could not be read. */
const logDropped = (dropped: number, { accountId, lane }: LaneId, what: string) =>
  dropped === 0
    ? Effect.void
    : Effect.logWarning(`Some of the memory backend's ${what} cannot be read`).pipe(
      Effect.annotateLogs({ accountId, lane, dropped })
    )

/** Each item that can be read, and no failure for the others. */
const readable = <A>(items: ReadonlyArray<unknown>, read: (item: unknown) => A | null) => {
  const kept = items.flatMap((item) => read(item) ?? [])
  return { kept, dropped: items.length - kept.length }
}

/** Recall by one query of the lane's outcomes, which taught. */
const recallBy = (control: Control, settings: MubitSettings) =>
  Effect.fnUntraced(function*(query: RecallQuery) {
    const answer = yield* control.asked(query, "query", {
      query: excerptOf(query.task),
      mode: "agent_routed",
      limit: limitOf(query, settings),
      entry_types: [outcomeIntent],
      lane_filter: query.lane,
      rank_by: "relevance",
      env_tags: query.tags,
      evidence_only: true
    })
    const nowMs = yield* Clock.currentTimeMillis
    // An empty list may be left out; anything else in its place is no answer.
    const evidence = answer["evidence"] ?? []
    if (!Array.isArray(evidence)) {
      const cause = "The backend answered no list of evidence"
      return yield* new MemoryUnavailable({ reason: new Reason.Unreachable({ cause }) })
    }
    const entries = evidence.slice(0, settings.entriesMax)
    const { dropped, recalled } = recalledFrom(entries, query, settings.memory, nowMs)
    yield* logDropped(dropped, query, "entries")
    return recalled
  })

/** The lessons of failures that are like the query's error. */
const diagnoseBy = (control: Control) =>
  Effect.fnUntraced(function*(query: Parameters<Memory["Service"]["diagnose"]>[0]) {
    const { errorText, errorType, limit, userId } = query
    const answer = yield* control.asked(query, "diagnose", {
      error_text: cut(errorText, textLimits.errorText),
      error_type: errorType,
      limit
    })
    const found = listOf(answer["failure_lessons"] ?? answer["lessons"])
    const items = found.filter((item) => !isElsewhere(item, query))
    const { dropped, kept } = readable(items, failureLessonOf)
    yield* logDropped(dropped, query, "failure lessons")
    // Of another actor's lessons nothing is said, not even how many there are.
    const seen = kept.filter((each) => userId === null || each.userId === null || each.userId === userId)
    const unseen = found.length - items.length + kept.length - seen.length
    const total = countOf(answer, "total_failure_lessons", "total", "failure_lessons", "lessons")
    return {
      lessons: seen.slice(0, limit).map(({ lesson }) => lesson),
      total: Math.max(seen.length, total - dropped - unseen)
    }
  })

const make = Effect.fnUntraced(function*(settings: MubitSettings) {
  const { endpoint } = yield* MubitClient
  const control = yield* makeControl
  return Memory.of({
    knownModels: () => new Map(),
    taskVectorsOf: () => Effect.succeed([]),
    recall: recallBy(control, settings),
    ...sentBefore(yield* makeWrites(control, settings)),
    strategies: Effect.fnUntraced(function*(query) {
      const { lessonTypes, limit } = query
      const answer = yield* control.asked(query, "strategies", { lesson_types: lessonTypes, limit })
      const items = listOf(answer["strategies"]).filter((item) => !isElsewhere(item, query))
      const { dropped, kept } = readable(items, strategyOf)
      yield* logDropped(dropped, query, "strategies")
      const isWanted = (lessonType: string) => lessonTypes.length === 0 || lessonTypes.includes(lessonType)
      return kept.filter(({ dominantLessonType }) => isWanted(dominantLessonType)).slice(0, limit)
    }),
    diagnose: diagnoseBy(control),
    health: (query) =>
      Effect.map(
        control.asked(query, "memory_health", { stale_threshold_days: query.staleThresholdDays }),
        healthOf
      ),
    ping: (accountId) =>
      Effect.as(control.ask(accountId, { path: "/v2/core/health" }, Schema.String), { endpoint })
  })
})

/**
 * Memory in the hosted backend that speaks the control protocol, asked with each caller's own key; a lane is
 * its `run_id`. It promises less than our own drivers: what it accepts it ingests later, so that the next
 * recall may not see it, and a recall knows the outcomes that one query returns rather than the whole lane
 * (tallies, size and similarities are theirs, and reliability is the backend's belief). `laneTaught` and the
 * reflections that follow from it count what this process taught. An actor's neighbours are chosen among what
 * the query returns, because the backend's own filter would hide everyone else's outcomes from the tallies.
 * A repeated step is sent again, and an actor's votes of a day are not limited. Changes of a model show as
 * far as they do in those outcomes.
 *
 * That lanes never mix is the backend's promise, which is checked where it hands back our metadata: outcomes
 * and lessons that name another lane are left out. Strategies that it puts together itself, lessons of its
 * own reflections and the counts of health name none, and are taken at its word. Whether the job of a write
 * has failed is known for the first outcome of a (cluster, model) in a process alone.
 */
export const layer = (settings: MubitSettings = mubitSettings): Layer.Layer<Memory, never, MubitClient> =>
  Layer.effect(Memory, make(settings))
