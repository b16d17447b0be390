/** Finds the model and the verdict of each earlier attempt, from the request and the ledger. */
import { findModel } from "../../../catalog/Lookup.ts"
import { unreportedModelOf } from "../../../domain/Decision.ts"
import { atLevel } from "../../../domain/model/ModelVariant.ts"
import type { TaskAttempt, Verification } from "../../../domain/Attempt.ts"
import { type Provenance, provenanceOfSource } from "../../../domain/feedback/Feedback.ts"
import type { CatalogSnapshot } from "../../../domain/model/Model.ts"
import { keyOfFirst } from "../../../domain/TaskKey.ts"
import { isVerdict, type Label } from "../../../domain/feedback/FeedbackPrecedence.ts"
import type { GateErrors } from "../../../stats/TaskDifficulty.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { LedgerAttempt } from "../ReadAttempts.ts"

export type CheckRule = Pick<EngineSettings, "checkErrors">

export interface AttemptVerdict extends GateErrors {
  readonly passed: boolean
}

export interface KnownAttempt {
  /** The catalog's id of the model that ran, or the caller's id if the catalog does not have the model. */
  readonly modelId: string
  /** The verdict is null if the attempt tells nothing, for example because it was not judged. */
  readonly verdict: AttemptVerdict | null
}

export interface KnownAttempts {
  readonly attempts: ReadonlyArray<KnownAttempt>
  /** Number of attempts that name a recommendation which was not found. */
  readonly unknown: number
  /** Number of attempts; two entries about the same recommendation count once. */
  readonly made: number
  /** Key of the task, from the first attempt found in the ledger; null if none was found. */
  readonly taskKey: string | null
}

/**
 * The request's error rates apply only to verdicts of the request's kind of check. A missing error rate is
 * the default, lowered if the sum of the two rates would exceed 1.
 */
export const checkErrors = (
  settings: CheckRule,
  source: Provenance,
  verification: Verification | null
): GateErrors => {
  const usual = settings.checkErrors[source]
  if (verification === null || verification.kind !== source) return usual
  const { failRight, passWrong } = verification
  return {
    passWrong: passWrong ?? Math.min(usual.passWrong, 1 - (failRight ?? 0)),
    failRight: failRight ?? Math.min(usual.failRight, 1 - (passWrong ?? 0))
  }
}

type ReportedResult = Pick<Label, "errorCause" | "outcome">

const verdictOf = (
  settings: CheckRule,
  { errorCause, outcome }: ReportedResult,
  source: Provenance,
  verification: Verification | null
): AttemptVerdict | null => {
  const isOutage = errorCause === "infra" && outcome !== "success"
  if (isOutage || outcome === "partial" || source === "none") return null
  return { passed: outcome === "success", ...checkErrors(settings, source, verification) }
}

/**
 * Returns the reported verdict, else the request's verdict if only usage was reported.
 *
 * @param said the request's own verdict on the reported model; null if there is none
 */
const reportedVerdict = (
  settings: CheckRule,
  label: Label,
  said: AttemptVerdict | null,
  verification: Verification | null
): AttemptVerdict | null =>
  isVerdict(label)
    ? verdictOf(settings, label, label.provenance, verification)
    : label.errorCause === "infra" ? null : said

/** Returns the verdict that the request sends, with error rates by its evidence source, else by its check. */
const saidVerdict = (
  settings: CheckRule,
  { errorCause, evidenceSource, outcome }: TaskAttempt,
  verification: Verification | null
): AttemptVerdict | null => {
  if (outcome === null) return null
  const kind = verification === null || verification.kind === "none" ? "assertion" : verification.kind
  const source = evidenceSource === null ? kind : provenanceOfSource(evidenceSource)
  return verdictOf(settings, { errorCause, outcome }, source, verification)
}

const namedBy = (snapshot: CatalogSnapshot, attempt: TaskAttempt): string | null => {
  const { modelId } = attempt
  return modelId === null ? null
    : atLevel({ ...attempt, modelId: findModel(snapshot, modelId)?.modelId ?? modelId })
}

/**
 * Returns the attempts of a request, each recommendation once. A reported verdict precedes the fields that
 * the request sends.
 *
 * @param ledger a record for each attempt, in order; null for an unknown attempt
 */
export const knownAttempts = (
  settings: CheckRule,
  snapshot: CatalogSnapshot,
  attempts: ReadonlyArray<TaskAttempt>,
  verification: Verification | null,
  ledger: ReadonlyArray<LedgerAttempt | null>
): KnownAttempts => {
  const known: Array<KnownAttempt> = []
  const counted = new Set<string>()
  let unknown = 0
  attempts.forEach((attempt, i) => {
    const found = ledger[i] ?? null
    const named = namedBy(snapshot, attempt)
    const said = saidVerdict(settings, attempt, verification)
    if (found === null) {
      if (attempt.recommendationId !== null) unknown++
      if (named !== null) known.push({ modelId: named, verdict: said })
      return
    }
    const { decision, outcomes } = found
    const { recommendationId } = decision
    if (counted.has(recommendationId)) return
    counted.add(recommendationId)
    for (const { label, modelId } of outcomes) {
      const own = (named ?? modelId) === modelId ? said : null
      known.push({ modelId, verdict: reportedVerdict(settings, label, own, verification) })
    }
    if (outcomes.length === 0) {
      known.push({ modelId: named ?? unreportedModelOf(decision), verdict: said })
    }
  })
  const named = attempts.flatMap(({ recommendationId }) => recommendationId ?? [])
  const first = ledger.find((each) => each !== null)?.decision
  const taskKey = first === undefined ? null : first.taskKey ?? keyOfFirst(first.recommendationId)
  return { attempts: known, unknown, taskKey, made: attempts.length - named.length + new Set(named).size }
}
