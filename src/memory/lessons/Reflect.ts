/* Derives lessons from the facts about a lane. */
import { createHash } from "node:crypto"
import { nameOf, quoted } from "../../domain/text/Text.ts"
import { counted, nounOf } from "../../domain/text/Words.ts"
import * as Wilson from "../../stats/Wilson.ts"
import type { ReflectionRule } from "../MemorySettings.ts"
import type { ErrorFingerprint } from "./ErrorFingerprint.ts"
import type { ErrorCell, LaneFacts, OutcomeCell, StepCell } from "./LaneFacts.ts"
import { pointsBetween, preferring, rateBeside, roughDollars, wholePercent } from "./LessonWords.ts"
import { errorTopic, type StoredLesson, outcomeTopic } from "./StoredLesson.ts"

interface JudgedCell extends OutcomeCell {
  readonly rate: number
  readonly low: number
  readonly high: number
}

type LessonScope = StoredLesson["scope"]

const judge = (cell: OutcomeCell): JudgedCell => {
  const rate = cell.weight > 0 ? Math.min(1, cell.success / cell.weight) : 0
  return { ...cell, rate, ...Wilson.interval95(rate, cell.weight) }
}

/** Every reflection gives the same lesson the same id, and so updates the lesson. */
const idOf = (parts: ReadonlyArray<string | null>): string =>
  `lesson-${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32)}`

const lessonOf = (
  of:
    & Pick<StoredLesson, "lessonType" | "scope" | "topic" | "content" | "cluster" | "modelId">
    & Pick<StoredLesson, "importance" | "confidence">
    & { readonly newestMs: number; readonly userId?: string | null; readonly error?: ErrorFingerprint }
): StoredLesson => ({
  lessonId: idOf([of.scope, of.lessonType, of.topic, of.cluster, of.modelId, of.userId ?? null]),
  lessonType: of.lessonType,
  scope: of.scope,
  content: of.content,
  cluster: of.cluster,
  modelId: of.modelId,
  importance: of.importance,
  confidence: of.confidence,
  occurredAt: new Date(of.newestMs),
  topic: of.topic,
  userId: of.userId ?? null,
  error: of.error ?? null,
  baseConfidence: of.confidence,
  isSuperseded: false,
  isReflected: true,
  reinforcement: 0
})

const evidenceOf = (cell: JudgedCell): string => {
  const { gated, gatedSuccesses, high, low, outcomes, rate, successes } = cell
  const [good, all, source] = gated * 2 >= outcomes
    ? [gatedSuccesses, gated, "verified"] as const
    : [successes, outcomes, "reported"] as const
  return `${good} of ${all} ${source} ${nounOf(all, "success", "successes")}`
    + (cell.costUsd === null ? "" : ` at ${roughDollars(cell.costUsd)}`)
    + ` (${rateBeside(rate, good, all)}, 95 % interval ${wholePercent(low)} to ${wholePercent(high)})`
}

const latelyOf = (scope: LessonScope): string => scope === "session" ? ", in the latest outcomes" : ""

/** Calculates a lesson's confidence, in [0.05, 0.95]. */
const confidenceOf = ({ high, low }: JudgedCell): number => Math.min(0.95, Math.max(0.05, 1 - (high - low)))

const costOf = ({ costUsd }: JudgedCell): number => costUsd ?? Number.POSITIVE_INFINITY

/**
 * Returns the cheapest model near the best rate, or the model with the best rate if that model's cost is
 * unknown; null if none is good.
 */
const preferredOf = (cells: ReadonlyArray<JudgedCell>, rule: ReflectionRule): JudgedCell | null => {
  const byRate = cells.toSorted((a, b) => b.rate - a.rate || b.weight - a.weight)
  const [best] = byRate
  if (best === undefined || best.rate < rule.preferRateMin || best.low < 0.5) return null
  const alike = byRate.filter(({ low, rate }) =>
    rate >= Math.max(rule.preferRateMin, best.rate - rule.likeSuccess) && low >= 0.5)
  return best.costUsd === null
    ? best
    : alike.reduce((left, right) => costOf(right) < costOf(left) ? right : left)
}

const importance = { avoid: 0.9, prefer: 0.8, error: 0.8, step: 0.7, cost: 0.6 }

const preferenceOf = (
  preferred: JudgedCell,
  others: ReadonlyArray<JudgedCell>,
  scope: LessonScope
): StoredLesson => {
  const rival = others.toSorted((a, b) => b.weight - a.weight)[0]
  const comparison = rival === undefined
    ? ""
    : `, ${pointsBetween(preferred.rate, rival.rate, nameOf(rival.modelId))}`
      + (rival.costUsd === null ? "" : ` at ${roughDollars(rival.costUsd)}`)
  return lessonOf({
    ...preferred,
    lessonType: "success",
    scope,
    topic: outcomeTopic,
    content: `${preferring(preferred.cluster, preferred.modelId)} ${evidenceOf(preferred)}`
      + `${comparison}${latelyOf(scope)}.`,
    importance: importance.prefer,
    confidence: confidenceOf(preferred)
  })
}

const avoidanceOf = (cell: JudgedCell, instead: JudgedCell | null, scope: LessonScope): StoredLesson =>
  lessonOf({
    ...cell,
    lessonType: "failure",
    scope,
    topic: outcomeTopic,
    content: `For ${cell.cluster} avoid ${nameOf(cell.modelId)}: ${evidenceOf(cell)}`
      + (instead === null ? "" : `, ${pointsBetween(cell.rate, instead.rate, nameOf(instead.modelId))}`)
      + `${latelyOf(scope)}.`,
    importance: importance.avoid,
    confidence: confidenceOf(cell)
  })

const thriftOf = (cheap: JudgedCell, dear: JudgedCell, ratio: number): StoredLesson =>
  lessonOf({
    ...cheap,
    lessonType: "success",
    scope: "account",
    topic: `cost:${dear.modelId}`,
    content: `For ${cheap.cluster} ${nameOf(dear.modelId)} costs ${ratio.toFixed(1)} times what`
      + ` ${nameOf(cheap.modelId)} does for like success: ${roughDollars(costOf(dear))} at`
      + ` ${wholePercent(dear.rate)}`
      + ` against ${roughDollars(costOf(cheap))} at ${wholePercent(cheap.rate)}.`,
    importance: importance.cost,
    confidence: Math.min(confidenceOf(cheap), confidenceOf(dear))
  })

const ofCluster = (
  cells: ReadonlyArray<JudgedCell>,
  scope: LessonScope,
  rule: ReflectionRule
): ReadonlyArray<StoredLesson> => {
  const preferred = preferredOf(cells, rule)
  const others = cells.filter((cell) => cell !== preferred)
  // Avoids models that, by their 95 % intervals, mostly fail, or are worse than the preferred model.
  const avoided = others.filter(({ high }) => high < 0.5 || (preferred !== null && high < preferred.low))
  const compared = scope === "account" && preferred !== null && costOf(preferred) > 0 ? others : []
  const dearer = compared.flatMap((cell) => {
    if (preferred === null || cell.costUsd === null) return []
    const ratio = cell.costUsd / costOf(preferred)
    const isAlike = Math.abs(cell.rate - preferred.rate) <= rule.likeSuccess
    return isAlike && ratio >= rule.dearerRatioMin ? [thriftOf(preferred, cell, ratio)] : []
  })
  return [
    ...(preferred === null ? [] : [preferenceOf(preferred, others, scope)]),
    ...avoided.map((cell) => avoidanceOf(cell, preferred, scope)),
    ...dearer
  ]
}

const ofCells = (
  cells: ReadonlyArray<OutcomeCell>,
  scope: LessonScope,
  supportMin: number,
  rule: ReflectionRule
): ReadonlyArray<StoredLesson> => {
  const supported = cells.filter(({ outcomes }) => outcomes >= supportMin).map(judge)
  return [...Map.groupBy(supported, ({ cluster }) => cluster).values()]
    .flatMap((group) => ofCluster(group, scope, rule))
}

const ofStep = (step: StepCell): StoredLesson =>
  lessonOf({
    ...step,
    lessonType: "failure",
    scope: "account",
    topic: `step:${step.stepId}`,
    content: `For ${step.cluster} ${nameOf(step.modelId)} fails the step ${quoted(step.stepId, 60)}`
      + ` in ${step.failures} of ${counted(step.times, "run")}.`
      + (step.said === null ? "" : ` A caller on it, quoted: ${quoted(step.said)}.`),
    importance: importance.step,
    confidence: confidenceOf(judge({
      ...step, outcomes: step.times, successes: 0, gated: 0, gatedSuccesses: 0, weight: step.times,
      success: step.failures, costUsd: null
    }))
  })

const ofError = (cell: ErrorCell, preferred: string | undefined, rule: ReflectionRule): StoredLesson =>
  lessonOf({
    ...cell,
    lessonType: "failure",
    scope: cell.times >= rule.errorAccountMin ? "account" : "session",
    topic: errorTopic(cell.error.fingerprint),
    content: `For ${cell.cluster} ${nameOf(cell.modelId)} failed ${counted(cell.times, "time")} with one`
      + ` error, quoted: ${quoted(cell.error.headline)}.`
      + (preferred === undefined || preferred === cell.modelId ? "" : ` Prefer ${nameOf(preferred)} there.`),
    importance: importance.error,
    confidence: cell.confidence
  })

/** Derives a lane's lessons, the most important first. */
export const reflectOn = (facts: LaneFacts, rule: ReflectionRule): ReadonlyArray<StoredLesson> => {
  const account = ofCells(facts.account, "account", rule.accountSupportMin, rule)
  const preferred = new Map(
    account
      .filter(({ lessonType, topic }) => lessonType === "success" && topic === outcomeTopic)
      .map(({ cluster, modelId }) => [cluster, modelId])
  )
  return [
    ...account,
    ...ofCells(facts.session, "session", rule.sessionSupportMin, rule),
    ...facts.steps
      .filter(({ failures, times }) =>
        times >= rule.stepSupportMin && failures >= rule.stepFailureShareMin * times)
      .map(ofStep),
    ...facts.errors
      .filter(({ times }) => times >= rule.errorRecurrencesMin)
      .map((cell) => ofError(cell, preferred.get(cell.cluster), rule))
  ].toSorted((a, b) => b.importance - a.importance || b.confidence - a.confidence).slice(0, rule.lessonsMax)
}
