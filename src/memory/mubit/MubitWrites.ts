/* Writes to the hosted backend: what each kind of write asks its control plane. */
import { Effect } from "effect"
import type { LaneId } from "../../domain/Scope.ts"
import { cutOrNull, textLimits } from "../../domain/text/TextLimits.ts"
import { monotonicMs } from "../../domain/Time.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { BoundedMap } from "../../resilience/BoundedMap.ts"
import { agrees } from "../index/Entry.ts"
import { MemoryUnavailable } from "../Memory.ts"
import type { Observation, Reinforcement, StepRewards } from "../MemoryWrite.ts"
import type { WriteSteps } from "../WriteSteps.ts"
import type { Control } from "./MubitControl.ts"
import { fieldsOf, idOf, listOf, numberOf, shareOf, textOf } from "./MubitFields.ts"
import { lessonItem, outcomeItem, recordItem, recordKeyOf } from "./MubitItems.ts"
import { entryOf } from "./MubitRecall.ts"
import { makeReflections } from "./MubitReflection.ts"
import type { MubitSettings } from "./MubitSettings.ts"

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const makeTeach = Effect.fnUntraced(function*(control: Control, settings: MubitSettings) {
  const reflections = yield* makeReflections(settings, (scope) => control.done(scope, "reflect", {}))
  const recordIds = new BoundedMap<string, string>(settings.rememberedMax)

  /** The job; null when it cannot be looked at, which makes the accepted write no less accepted. */
  const looked = (scope: LaneId, jobId: string) =>
    Effect.catch(control.jobOf(scope, jobId), ({ cause }) =>
      Effect.as(Effect.logDebug("The job of a memory write cannot be looked at", cause), null))

  /** The id of the first thing that the job wrote; null when it was not done in time. */
  const firstWritten = Effect.fnUntraced(function*(scope: LaneId, jobId: string) {
    const lastLookMs = (yield* monotonicMs) + settings.jobWaitMs
    for (let look = 0; look < settings.jobLooks; look++) {
      yield* Effect.sleep(settings.jobPauseMs)
      // A look is not interrupted later: the breaker would count an interrupted slow look as an outage.
      if ((yield* monotonicMs) > lastLookMs) return null
      const job = yield* looked(scope, jobId)
      if (job === null) return null
      if (textOf(job, "error") !== null) {
        // Sent again it would fail again, and hold up its lane.
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

  return Effect.fnUntraced(function*(observation: Observation) {
    const { accountId, lane } = observation
    const recordKey = recordKeyOf(observation)
    const name = JSON.stringify([accountId, lane, recordKey])
    const known = recordIds.get(name)
    const outcome = outcomeItem(observation)
    const items = known === undefined ? [recordItem(observation), outcome] : [outcome]
    const jobId = idOf(yield* control.asked(observation, "ingest", { items }), "job_id")
    // A job says nothing but the record's id, so a known id needs no wait.
    const written = jobId === null || known !== undefined ? null : yield* firstWritten(observation, jobId)
    if (written !== null) recordIds.set(name, written)
    return { recordId: known ?? written ?? recordKey, ...(yield* reflections.taught(observation)) }
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
      // A backend that counts no vote knows none of the entries: they are another lane's, or forgotten.
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

/** What the backend does for a write of each kind. */
export const makeWrites = Effect.fnUntraced(function*(control: Control, settings: MubitSettings) {
  const steps: WriteSteps = {
    teach: yield* makeTeach(control, settings),
    reinforce: makeReinforce(control, settings),
    recordSteps: makeRecordSteps(control, settings),
    promote: (lesson) => control.done(lesson, "ingest", { items: [lessonItem(lesson)] })
  }
  return steps
})
