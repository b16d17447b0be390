/** Policy: picks a guarantee's baseline until evidence shows that a cheaper candidate is good enough. */
import { variantName } from "../../domain/model/ModelVariant.ts"
import { type GuaranteeStatus, momentOf } from "../../domain/account/Guarantee.ts"
import type { RecommendWarning } from "../../domain/Warning.ts"
import { evidenceSince } from "../../ledger/GuaranteeEvidence.ts"
import { favour, isInDoubt, isPromising, isWithdrawn, reportsOf } from "../../stats/GuaranteeReadings.ts"
import {
  type CandidateEvidence, isResting, type KindEvidence, provenLoss
} from "../../stats/GuaranteeStates.ts"
import { outcomesNeeded } from "../../stats/OutcomesNeeded.ts"
import { costTieUsd } from "../../stats/PolicyRules.ts"
import type { EngineSettings } from "../Settings.ts"
import type { Scored } from "../recommend/candidates/Candidate.ts"
import type { Objective } from "../recommend/choice/Objective.ts"
import type { GuaranteeCriteria } from "./GuaranteeCriteria.ts"
import { guaranteedMerit, guaranteedShortfall } from "./GuaranteeWords.ts"
import type { Choice, PolicyMaker } from "./Policy.ts"

type GuaranteeChoiceRule = Pick<EngineSettings, "guaranteeRule">

/** The models that a decision compares; the candidate's id is null if no candidate is compared. */
interface GuaranteeTrial {
  readonly baselineModelId: string
  readonly candidateModelId: string | null
}

interface Guaranteed {
  readonly pick: Scored
  readonly usual: Scored
  readonly propensity: number
  readonly answer: GuaranteeStatus
  /** The models that the decision compares; null if the decision is no evidence for the guarantee. */
  readonly trial: GuaranteeTrial | null
  readonly warnings: ReadonlyArray<RecommendWarning>
}

interface TrialContender {
  readonly candidate: Scored
  readonly known: CandidateEvidence | null
}

/**
 * Returns the candidates that may replace the baseline. A candidate may replace the baseline if it is
 * cheaper, and if its prediction reaches the threshold or the baseline's prediction. With a value of success,
 * the candidate must also be worth as much as the baseline. Trials are limited to tasks on which the
 * candidate may replace the baseline, so that the evidence is about these tasks.
 */
const contendersOf = (
  { of, valueUsd }: Objective,
  kind: KindEvidence | undefined,
  baseline: Scored,
  ranked: ReadonlyArray<Scored>,
  threshold: number
): ReadonlyArray<TrialContender> => {
  const bar = Math.min(threshold, baseline.predictedSuccess)
  return ranked
    .filter((each) =>
      each.cost.costUsd < baseline.cost.costUsd - costTieUsd && each.predictedSuccess >= bar
      && (valueUsd === null || of(each) <= of(baseline)))
    .map((candidate) => ({ candidate, known: evidenceOf(kind, candidate.card.modelId) }))
}

const evidenceOf = (kind: KindEvidence | undefined, modelId: string): CandidateEvidence | null =>
  kind !== undefined && Object.hasOwn(kind.candidates, modelId) ? kind.candidates[modelId]! : null

const byCost = (one: TrialContender, other: TrialContender): number =>
  one.candidate.cost.costUsd - other.candidate.cost.costUsd
  || (one.candidate.card.modelId < other.candidate.card.modelId ? -1 : 1)

/** Rounds the evidence, because a single outcome could otherwise move the trials to another candidate. */
const roundedFavour = ({ known }: TrialContender): number =>
  known === null || known.state === "withdrawn" ? 0 : Math.round(favour(known))

/** Returns the non-resting candidate with the most evidence in its favour, and among equals the cheapest. */
const challengerOf = (contenders: ReadonlyArray<TrialContender>, tasks: number): TrialContender | undefined =>
  contenders.filter(({ known }) => known === null || !isResting(known, tasks))
    .sort((one, other) => roundedFavour(other) - roundedFavour(one) || byCost(one, other))[0]

/**
 * Returns the probability that a decision is a trial. A candidate with few or bad outcomes is tried on at
 * most the share `maxQualityLoss` of the tasks, so that the guarantee holds even if all trials fail. While a
 * candidate replaces the baseline, the baseline still runs on the share `trialShare` / 2 of the tasks. If the
 * evidence turns against a candidate that replaces the baseline, the baseline runs on half of the tasks.
 */
const drawnShare = (
  { guaranteeRule: { cautiousTrials, doubt } }: GuaranteeChoiceRule,
  { isPaired, isUncounted, maxQualityLoss, trialShare }: GuaranteeCriteria,
  held: TrialContender | undefined,
  challenger: TrialContender | undefined
): number => {
  if (isUncounted || isPaired || trialShare === 0) return 0
  if (held !== undefined) {
    return held.known !== null && isInDoubt(held.known, doubt) ? 0.5 : trialShare / 2
  }
  const known = challenger?.known ?? null
  return known !== null && isPromising(known, maxQualityLoss, cautiousTrials)
    ? trialShare
    : Math.min(trialShare, maxQualityLoss)
}

/** Returns a guarantee's pick, drawn by `uniform` in [0, 1); null if the baseline is no candidate. */
export const guaranteed = (
  settings: GuaranteeChoiceRule,
  objective: Objective,
  guarantee: GuaranteeCriteria,
  ranked: ReadonlyArray<Scored>,
  threshold: number,
  uniform: number
): Guaranteed | null => {
  const baseline = ranked.find(({ card }) => card.modelId === guarantee.baselineModelId)
  if (baseline === undefined) return null
  const kind = guarantee.evidence !== null && Object.hasOwn(guarantee.evidence.kinds, guarantee.kind)
    ? guarantee.evidence.kinds[guarantee.kind]
    : undefined
  const contenders = guarantee.evidence === null
    ? []
    : contendersOf(objective, kind, baseline, ranked, threshold)
  const held = contenders.filter(({ known }) => known?.state === "held").sort(byCost)[0]
  const other = held ?? challengerOf(contenders, kind?.tasks ?? 0)
  const usual = held?.candidate ?? baseline
  const rival = held === undefined ? other?.candidate : baseline
  const share = rival === undefined ? 0 : drawnShare(settings, guarantee, held, other)
  const isDrawn = uniform < share
  const isCompared = share > 0 || (guarantee.isPaired && other !== undefined)
  const candidateModelId = other?.candidate.card.modelId ?? null
  const needsTrials =
    guarantee.evidence !== null && !guarantee.isUncounted && other !== undefined && !isCompared
  const hasTurned = Object.values(kind?.candidates ?? {}).some(isWithdrawn)
  const { baselineModelId, confidence, maxQualityLoss } = guarantee
  const rule = { loss: maxQualityLoss, alpha: 1 - confidence }
  const known = other?.known ?? null
  return {
    pick: isDrawn && rival !== undefined ? rival : usual,
    usual,
    propensity: isDrawn ? share : 1 - share,
    trial: guarantee.isUncounted
      ? null
      : { baselineModelId, candidateModelId: isCompared ? candidateModelId : null },
    warnings: needsTrials ? ["guarantee_needs_trials"] : [],
    answer: {
      state: held !== undefined ? "held" : hasTurned ? "withdrawn" : "earning",
      baselineModelId: variantName(baselineModelId),
      candidateModelId: candidateModelId === null ? null : variantName(candidateModelId),
      maxQualityLoss, confidence,
      isTrial: isDrawn,
      evidenceSince: momentOf(evidenceSince(guarantee, candidateModelId)),
      outcomes: known === null ? 0 : reportsOf(known),
      outcomesNeeded: other === undefined || held !== undefined || needsTrials
        ? null
        : outcomesNeeded(rule, known, guarantee.trialShare),
      provenLoss: known === null ? null : provenLoss(rule.alpha, known)
    }
  }
}

const withGuaranteed = (
  choice: Choice,
  { answer, pick, propensity, trial, usual, warnings }: Guaranteed,
  allowed: ReadonlyArray<Scored>
): Choice => ({
  ...choice,
  pick,
  deterministic: usual,
  propensity,
  allowed,
  warnings: [...choice.warnings, ...warnings],
  words: {
    ...choice.words,
    merit: (final) => guaranteedMerit(answer, final),
    shortfall: (final, candidate) => guaranteedShortfall(answer, final, candidate),
    change: () => ""
  },
  fields: [...choice.fields, {
    answered: () => ({ guarantee: answer }),
    recorded: () => ({
      guaranteeBaselineId: trial?.baselineModelId ?? null,
      guaranteeCandidateId: trial?.candidateModelId ?? null
    })
  }]
})

/**
 * Applies the guarantee's pick, and the plan that begins with it, unless the pick's model has failed. A model
 * cheaper than the baseline makes no later attempt and is no fallback, unless evidence proves it good enough.
 */
export const underGuarantee: PolicyMaker = ({ guarantee, settings }) => guarantee && ((given, draw) => {
  const choice = { ...given, isFixed: true }
  const { criteria: { threshold }, objective, ranked, replanned } = choice
  const guard = guaranteed(settings, objective, guarantee, ranked, threshold, draw)
  if (guard === null) {
    // Without a baseline among the candidates, the guarantee cannot be given.
    return { ...choice, warnings: [...choice.warnings, "guarantee_baseline_unavailable"] }
  }
  const baseline = ranked.find(({ card }) => card.modelId === guarantee.baselineModelId)
  const baselineUsd = baseline === undefined ? 0 : baseline.cost.costUsd
  const own = withGuaranteed(choice, guard, ranked.filter((each) =>
    each === guard.usual || each.cost.costUsd >= baselineUsd - costTieUsd))
  if (replanned === null) return own
  const planned = replanned(own, guard.pick)
  return {
    ...planned,
    deterministic: planned.pick === guard.pick ? guard.usual : planned.pick,
    propensity: guard.propensity,
    words: own.words
  }
})
