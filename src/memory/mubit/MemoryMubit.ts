import { Clock, Effect, Layer, Schema } from "effect"
import type { AccountId, LaneId } from "../../domain/Scope.ts"
import { excerptOf } from "../../domain/Task.ts"
import { monotonicMs } from "../../domain/Time.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { cut, cutOrNull, textLimits } from "../../domain/text/TextLimits.ts"
import { agrees } from "../index/Entry.ts"
import { Memory, MemoryUnavailable, type RecallQuery } from "../Memory.ts"
import type { Observation, Reinforcement, StepRewards } from "../MemoryWrite.ts"
import { sentBefore } from "../WriteSteps.ts"
import {
  Answer,
  countOf,
  type Fields,
  fieldsOf,
  idOf,
  listOf,
  numberOf,
  shareOf,
  textOf
} from "./MubitFields.ts"
import { failureLessonOf, healthOf, strategyOf } from "./MubitAnswers.ts"
import { keyFor } from "../remote/MemoryBackend.ts"
import { MubitClient, type MubitQuestion } from "./MubitClient.ts"
import { isElsewhere, lessonItem, outcomeIntent, outcomeItem, recordItem, recordKeyOf } from "./MubitItems.ts"
import { entryOf, recalledFrom } from "./MubitRecall.ts"
import { makeReflections } from "./MubitReflection.ts"
import { type MubitSettings, mubitSettings } from "./MubitSettings.ts"
import { LruMap } from "./LruMap.ts"

/** Only the fields that say something. */
const told = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const limitOf = (
  { modelIds, perModel }: Pick<RecallQuery, "modelIds" | "perModel">,
  { entriesMax, entriesMin }: MubitSettings
): number => Math.min(entriesMax, Math.max(entriesMin, perModel * modelIds.length))

/** Asks the control plane about a lane; an answer whose content does not matter is not read. */
const makeControl = Effect.gen(function*() {
  const { ask: askWith } = yield* MubitClient
  /** Asks about the account with the key of its request. */
  const ask = <A>(accountId: AccountId, question: MubitQuestion, answer: Schema.Codec<A, string>) =>
    Effect.flatMap(keyFor(accountId), (key) => askWith(key, question, answer))
  const question = ({ lane }: LaneId, path: string, body: Fields) =>
    ({ path: `/v2/control/${path}`, body: { run_id: lane, ...told(body) } })
  return {
    ask,
    asked: (scope: LaneId, path: string, body: Fields) =>
      ask(scope.accountId, question(scope, path, body), Answer),
    done: (scope: LaneId, path: string, body: Fields) =>
      Effect.asVoid(ask(scope.accountId, question(scope, path, body), Schema.String)),
    jobOf: ({ accountId, lane }: LaneId, jobId: string) => {
      const path = `/v2/control/ingest/jobs/${encodeURIComponent(jobId)}?run_id=${encodeURIComponent(lane)}`
      return ask(accountId, { path }, Answer)
    }
  }
})

type Control = Effect.Success<typeof makeControl>

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

const makeTeach = Effect.fnUntraced(function*(control: Control, settings: MubitSettings) {
  const reflections = yield* makeReflections(settings, (scope) => control.done(scope, "reflect", {}))
  const recordIds = new LruMap<string>(settings.rememberedMax)

  /** What is accepted is accepted, whether or not its job can be looked at. */
  const looked = (scope: LaneId, jobId: string) =>
    Effect.catch(control.jobOf(scope, jobId), ({ cause }) =>
      Effect.as(Effect.logDebug("The job of a memory write cannot be looked at", cause), null))

  /** The id of the first thing that the job wrote; null when it was not done in time. */
  const firstWritten = Effect.fnUntraced(function*(scope: LaneId, jobId: string) {
    const lastLookMs = (yield* monotonicMs) + settings.jobWaitMs
    for (let look = 0; look < settings.jobLooks; look++) {
      yield* Effect.sleep(settings.jobPauseMs)
      // Not interrupted later: the breaker would take a slow look given up for an outage.
      if ((yield* monotonicMs) > lastLookMs) return null
      const job = yield* looked(scope, jobId)
      if (job === null) return null
      if (textOf(job, "error") !== null) {
        // Told again it would fail again, and hold up its lane.
        const cause = "The backend has failed to ingest what it had accepted"
        return yield* new MemoryUnavailable({ reason: new Reason.Rejected({ cause }) })
      }
      if (job["done"] !== true) continue
      const [trace] = listOf(job["traces"])
      const [write] = listOf(fieldsOf(trace)["writes"])
      return idOf(fieldsOf(write), "record_id")
    }
    return null
  })

  return Effect.fnUntraced(function*(observation: Observation, teaches: boolean) {
    const { accountId, lane } = observation
    const recordKey = recordKeyOf(observation)
    const name = JSON.stringify([accountId, lane, recordKey])
    const known = recordIds.get(name)
    const outcome = outcomeItem(observation, teaches)
    const items = known === undefined ? [recordItem(observation), outcome] : [outcome]
    const jobId = idOf(yield* control.asked(observation, "ingest", { items }), "job_id")
    // All that a job can say is the record's id: whoever knows it need not wait.
    const written = jobId === null || known !== undefined ? null : yield* firstWritten(observation, jobId)
    if (written !== null) recordIds.set(name, written)
    return { recordId: known ?? written ?? recordKey, ...(yield* reflections.taught(observation, teaches)) }
  })
})

const makeReinforce = (control: Control, { memory }: MubitSettings) =>
  Effect.fnUntraced(function*({ accountId, entryIds, lane, quality, reinforcementId }: Reinforcement) {
    const entries = [...new Set(entryIds)].slice(0, memory.reinforcedEntriesMax).flatMap((entryId) => {
      const entry = entryOf(entryId)
      if (entry === null) return []
      return [{ ...entry, entryId, agreement: 1 - 2 * Math.abs(entry.quality - quality) }]
    })
    const agreed = entries.filter((entry) => agrees(entry.quality, quality))
    const disagreed = entries.filter((entry) => !agreed.includes(entry))
    const confidences: Array<number> = []
    const reinforced: Array<string> = []
    for (const { group, name, outcome } of [
      { group: agreed, name: reinforcementId, outcome: "success" },
      { group: disagreed, name: reinforcementId && `${reinforcementId}:against`, outcome: "failure" }
    ]) {
      if (group.length === 0) continue
      const answer = yield* control.asked({ accountId, lane }, "outcome", {
        // The entries are what is voted on, and nothing beside them.
        reference_id: "global",
        outcome,
        signal: mean(group.map(({ agreement }) => agreement)),
        entry_ids: group.map(({ reference }) => reference),
        idempotency_key: name
      })
      const confidence = shareOf(answer, "updated_confidence")
      if (confidence !== null) confidences.push(...group.map(() => confidence))
      // Told to have voted on none, it knows none of them: another lane's, or forgotten.
      if (group === agreed && numberOf(answer, "reinforcement_count") !== 0) {
        reinforced.push(...group.map(({ entryId }) => entryId))
      }
    }
    return {
      entryIds: reinforced,
      updatedConfidence: confidences.length === 0 ? null : mean(confidences)
    }
  })

const makeRecordSteps = (control: Control, { stepsAtOnce }: MubitSettings) =>
  Effect.fnUntraced(function*({ accountId, lane, modelId, recommendationId, steps }: StepRewards) {
    const distinct = [...new Map(steps.toReversed().map((step) => [step.stepId, step])).values()]
    yield* Effect.forEach(distinct, (step) =>
      control.done({ accountId, lane }, "step_outcome", {
        // A step of another model is another step.
        reference_id: `${recommendationId}:${modelId}`,
        step_id: step.stepId,
        step_name: cutOrNull(step.stepName, textLimits.stepName),
        outcome: step.outcome,
        signal: step.signal,
        rationale: cutOrNull(step.rationale, textLimits.stepProse),
        directive_hint: cutOrNull(step.directiveHint, textLimits.stepProse)
      }), { concurrency: stepsAtOnce, discard: true })
    return distinct.length
  })

const make = Effect.fnUntraced(function*(settings: MubitSettings) {
  const { endpoint } = yield* MubitClient
  const control = yield* makeControl
  return Memory.of({
    recall: Effect.fnUntraced(function*(query) {
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
    }),
    ...sentBefore({
      teach: yield* makeTeach(control, settings),
      reinforce: makeReinforce(control, settings),
      recordSteps: makeRecordSteps(control, settings),
      promote: (lesson) => control.done(lesson, "ingest", { items: [lessonItem(lesson)] })
    }),
    strategies: Effect.fnUntraced(function*(query) {
      const { lessonTypes, limit } = query
      const answer = yield* control.asked(query, "strategies", { lesson_types: lessonTypes, limit })
      const items = listOf(answer["strategies"]).filter((item) => !isElsewhere(item, query))
      const { dropped, kept } = readable(items, strategyOf)
      yield* logDropped(dropped, query, "strategies")
      const isWanted = (lessonType: string) => lessonTypes.length === 0 || lessonTypes.includes(lessonType)
      return kept.filter(({ dominantLessonType }) => isWanted(dominantLessonType)).slice(0, limit)
    }),
    diagnose: Effect.fnUntraced(function*(query) {
      const { errorText, errorType, limit, userId } = query
      const answer = yield* control.asked(query, "diagnose", {
        error_text: cut(errorText, textLimits.errorText),
        error_type: errorType,
        limit
      })
      const told = listOf(answer["failure_lessons"] ?? answer["lessons"])
      const items = told.filter((item) => !isElsewhere(item, query))
      const { dropped, kept } = readable(items, failureLessonOf)
      yield* logDropped(dropped, query, "failure lessons")
      // Of another actor's lessons nothing is said, not even how many there are.
      const seen = kept.filter((found) => userId === null || found.userId === null || found.userId === userId)
      const unseen = told.length - items.length + kept.length - seen.length
      const total = countOf(answer, "total_failure_lessons", "total", "failure_lessons", "lessons")
      return {
        lessons: seen.slice(0, limit).map(({ lesson }) => lesson),
        total: Math.max(seen.length, total - dropped - unseen)
      }
    }),
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
 * A repeated step is told again, and an actor's votes of a day are not limited. Changes of a model show as
 * far as they do in those outcomes.
 *
 * That lanes never mix is the backend's promise, which is checked where it hands back our metadata: outcomes
 * and lessons that name another lane are left out. Strategies that it puts together itself, lessons of its
 * own reflections and the counts of health name none, and are taken at its word. Whether the job of a write
 * has failed is known for the first outcome of a (cluster, model) in a process alone.
 */
export const layer = (settings: MubitSettings = mubitSettings): Layer.Layer<Memory, never, MubitClient> =>
  Layer.effect(Memory, make(settings))
