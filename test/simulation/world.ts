import type { DecisionCandidate, LedgerRow } from "../../src/domain/Decision.ts"
import type { Outcome } from "../../src/domain/feedback/Feedback.ts"
import { unmeasured } from "../../src/domain/feedback/FeedbackPrecedence.ts"
import type { Cluster, Difficulty, TaskType } from "../../src/domain/Task.ts"
import { generator, normal } from "../../src/stats/Generator.ts"
import { logit, sigmoid } from "../../src/stats/Logit.ts"
import * as Softmax from "../../src/stats/Softmax.ts"
import { decided } from "../reports/rows.ts"
import { idOf } from "../support/builders.ts"

/*
 * A world whose every success probability is known: six clusters of tasks, each of two kinds that only the
 * predictions can tell apart (a little), and five models. The logger knows what the predictions say, which is
 * biased and noisy; what it logs is what the ledger would hold.
 */

const clusters: ReadonlyArray<readonly [TaskType, Difficulty]> = [
  ["code", "easy"], ["code", "hard"], ["qa", "easy"], ["qa", "hard"], ["reasoning", "medium"],
  ["creative", "medium"]
]
const modelIds = ["mini", "small", "middle", "large", "premium"] as const
const listUsd = [0.001, 0.004, 0.012, 0.03, 0.1]
const abilities = [-0.3, 0.2, 0.6, 1, 1.3]

export interface WorldOptions {
  readonly seed: number
  /** Error of predictions, standard deviation in logits; 0 gives each kind's true rate. */
  readonly predictionNoise?: number
  /** Predictions say nothing at all: the same 0.7 for everybody. */
  readonly isBlind?: boolean
  /** Difference of the models' order between clusters, standard deviation in logits. */
  readonly structure?: number
  /**
   * A difficulty per task, in logits, that lowers everybody's truth and only the predictions for the three
   * cheaper models: those two dear ones are then run where tasks are hard, and look bad.
   */
  readonly hiddenDifficulty?: number
}

/** A task with its candidates, and what each would achieve in expectation. */
export interface Situation {
  readonly cluster: number
  readonly threshold: number
  readonly candidates: ReadonlyArray<DecisionCandidate>
  readonly truths: ReadonlyArray<number>
}

export interface World {
  readonly uniform: () => number
  readonly situation: () => Situation
  /** Bill of each model per estimated dollar. */
  readonly billRatios: ReadonlyArray<number>
}

const between = (low: number, value: number, high: number): number => Math.min(high, Math.max(low, value))

/** tau of the slider at 5. */
export const threshold = 0.735

export const makeWorld = (options: WorldOptions): World => {
  const { hiddenDifficulty = 0, isBlind = false, predictionNoise = 0.5, seed, structure = 0.7 } = options
  const uniform = generator(seed * 7919 + 13)
  const gauss = () => normal(uniform)
  const truthOf = clusters.map(() => {
    const ease = 0.6 + 0.8 * gauss()
    const own = abilities.map((ability) => ability + ease + structure * gauss())
    return [0, 1].map(() => own.map((logit) => between(0.05, sigmoid(logit + 0.6 * gauss()), 0.95)))
  })
  const bias = 0.3 * gauss()
  const billRatios = modelIds.map(() => Math.exp(0.3 * gauss()))
  const situation = (): Situation => {
    const cluster = Math.floor(uniform() * clusters.length)
    const kind = uniform() < 0.5 ? 0 : 1
    const tokens = Math.exp(0.5 * gauss())
    const hardness = uniform() < 0.5 ? hiddenDifficulty : 0
    const candidates: Array<DecisionCandidate> = []
    const truths: Array<number> = []
    modelIds.forEach((modelId, index) => {
      const known = logit(truthOf[cluster]![kind]![index]!)
      const truth = between(0.05, sigmoid(known - hardness), 0.95)
      const seen = known - (index < 3 ? hardness : hiddenDifficulty / 2)
      const believed = 0.8 * seen + bias + predictionNoise * gauss()
      // One candidate in ten was filtered for reasons of the request.
      if (index !== 1 && index !== 4 && uniform() < 0.1) return
      const predictedSuccess = isBlind ? 0.7 : predictionNoise === 0 ? truth : sigmoid(believed)
      candidates.push({
        modelId,
        predictedSuccess,
        estCostUsd: listUsd[index]! * tokens,
        isEligible: predictedSuccess >= threshold
      })
      truths.push(truth)
    })
    return { cluster, threshold, candidates, truths }
  }
  return { uniform, situation, billRatios }
}

/** The rule: the cheapest at or above the threshold, else the likeliest. */
export const ruleAt = (tau: number) => ({ candidates }: Situation): number => {
  let [cheapest, likeliest] = [-1, 0]
  candidates.forEach(({ estCostUsd, predictedSuccess }, index) => {
    if (predictedSuccess > candidates[likeliest]!.predictedSuccess) likeliest = index
    if (predictedSuccess < tau) return
    if (cheapest < 0 || estCostUsd < candidates[cheapest]!.estCostUsd) cheapest = index
  })
  return cheapest < 0 ? likeliest : cheapest
}

/** Probability of each candidate to be picked. */
export type Logging = (situation: Situation) => ReadonlyArray<number>

export const argmin: Logging = (situation) => {
  const pick = ruleAt(threshold)(situation)
  return situation.candidates.map((_, index) => index === pick ? 1 : 0)
}

/** As the service explores: a share of draws, tempered by prediction, among the eligible alone. */
export const epsilonSoftmax = (epsilon: number, temperature = 0.1): Logging => (situation) => {
  const eligible = situation.candidates.flatMap(({ isEligible }, index) => isEligible ? [index] : [])
  if (eligible.length < 2) return argmin(situation)
  const scores = eligible.map((index) => situation.candidates[index]!.predictedSuccess)
  const greedy = eligible.indexOf(ruleAt(threshold)(situation))
  const shares = Softmax.epsilonMix(Softmax.tempered(scores, temperature), greedy, epsilon)
  return situation.candidates.map((_, index) => shares[eligible.indexOf(index)] ?? 0)
}

const outcomeOf = (truth: number, uniform: number): Outcome =>
  uniform < truth - 0.05 ? "success" : uniform < truth + 0.05 ? "partial" : "failure"

export interface LogOptions {
  readonly rows: number
  readonly logging: Logging
  /** Probability that the caller runs a model of its own choice, by cluster; never by default. */
  readonly override?: (cluster: number) => number
  /** Propensities are logged as if every pick were certain. */
  readonly isPropensityLost?: boolean
}

const dayOne = Date.UTC(2026, 9, 1)

/** `rows` judged decisions of the world, oldest first. */
export const logOf = (world: World, options: LogOptions): ReadonlyArray<LedgerRow> => {
  const { isPropensityLost = false, logging, override = () => 0, rows } = options
  const { uniform } = world
  return Array.from({ length: rows }, (_, row) => {
    const situation = world.situation()
    const { candidates, cluster, truths } = situation
    const shares = logging(situation)
    const pick = Softmax.draw(shares, uniform())
    const ran = uniform() < override(cluster) ? Math.floor(uniform() * candidates.length) : pick
    const [taskType, difficulty] = clusters[cluster]!
    const recommended = candidates[pick]!
    const chosen = candidates[ran]!
    const propensity = isPropensityLost ? 1 : shares[pick]!
    const { decision } = decided({
      recommendationId: idOf(`rec-${row}-${Math.floor(uniform() * 1e9)}`),
      createdAt: new Date(dayOne + row * 60_000),
      taskType,
      difficulty,
      cluster: `${taskType}:${difficulty}` as Cluster,
      recommendedModelId: recommended.modelId,
      predictedSuccess: recommended.predictedSuccess,
      threshold: situation.threshold,
      selectionPolicy: shares[pick]! < 1 ? "epsilon_softmax" : "argmin",
      propensity,
      isExploration: pick !== ruleAt(threshold)(situation),
      costRecommendedUsd: recommended.estCostUsd,
      costPremiumUsd: Math.max(...candidates.map(({ estCostUsd }) => estCostUsd)),
      candidates
    })
    const ratio = world.billRatios[modelIds.findIndex((id) => id === chosen.modelId)]!
    return {
      decision,
      feedback: {
        feedbackAt: new Date(dayOne + row * 60_000 + 1000),
        chosenModelId: chosen.modelId,
        outcome: outcomeOf(truths[ran]!, uniform()),
        quality: 0.5,
        provenance: "gate",
        errorCause: null,
        teaches: true,
        isLate: false,
        ...unmeasured,
        actualCostUsd: uniform() < 0.8 ? chosen.estCostUsd * ratio : null
      }
    }
  })
}
