import type { OptimizeFor, RecommendRequest, SelectionPolicy, SwitchReason } from "../../src/domain/Recommendation.ts"
import type { AttemptCriteria } from "../../src/engine/policies/AttemptCriteria.ts"
import { choose, policiesOf } from "../../src/engine/policies/Choose.ts"
import { criteriaLevels, isAffordable } from "../../src/engine/policies/BudgetCriteria.ts"
import type { GuaranteeCriteria } from "../../src/engine/policies/GuaranteeCriteria.ts"
import type { UnhealthyCandidates } from "../../src/engine/policies/UnhealthyCandidates.ts"
import type { Incumbent } from "../../src/engine/policies/KeepIncumbent.ts"
import type { Criteria, CriteriaLevels } from "../../src/engine/policies/Criteria.ts"
import type { Choice, PolicyContext } from "../../src/engine/policies/Policy.ts"
import type { CostedCandidate, CostedCandidates } from "../../src/engine/recommend/candidates/Candidate.ts"
import { defaults, type EngineSettings } from "../../src/engine/Settings.ts"
import { noNeighbours } from "../../src/memory/Neighbours.ts"
import type { BudgetState } from "../../src/stats/BudgetState.ts"
import { unjudged } from "../../src/stats/TaskDifficulty.ts"
import { classified, request, task } from "./builders.ts"

/** At least one candidate. */
export type Candidates = CostedCandidates

/** The candidates of a list that a schema keeps from being empty. */
export const atLeastOne = (candidates: ReadonlyArray<CostedCandidate>): Candidates =>
  candidates as unknown as Candidates

/** Everything that a test may ask of a choice. */
export interface AskedChoice {
  readonly threshold: number
  readonly valueUsd: number | null
  readonly slider: number
  readonly limits: { readonly maxCostPerCall: number | null; readonly maxLatencyMs: number | null }
  readonly optimizeFor: OptimizeFor
  readonly selectionPolicy: SelectionPolicy
  readonly guarantee: GuaranteeCriteria | null
  readonly incumbent: Incumbent | null
  readonly plan: AttemptCriteria | null
  readonly health: UnhealthyCandidates | null
}

/** The requirements of an ordinary choice. */
export const asked = (over: Partial<AskedChoice> = {}): AskedChoice => ({
  threshold: 0.7, slider: 5, limits: { maxCostPerCall: null, maxLatencyMs: null }, optimizeFor: "cost",
  selectionPolicy: "argmin", guarantee: null, incumbent: null, plan: null, health: null, valueUsd: null,
  ...over
})

/** A plan of at most three attempts that a check judges without an error, at a task that none was made at. */
export const attemptsBy = (over: Partial<AttemptCriteria> = {}): AttemptCriteria => ({
  made: 0, taskKey: null, weights: unjudged, spread: 0, ran: new Set(), judged: new Set(), failed: [],
  bySpread: () => [], valueUsd: null, attemptsMax: 3, totalUsdMax: null, errors: { passWrong: 0, failRight: 0 },
  checkUsd: 0, ...over
})

/** The criteria among what is asked. */
export const criteriaIn = (
  { optimizeFor, selectionPolicy, slider, threshold, valueUsd }: AskedChoice
): Criteria => ({ optimizeFor, selectionPolicy, slider, threshold, valueUsd, isLowered: false })

/** The context of the policies, for a task with a million tokens of input and a million of output. */
export const contextOf = (
  settings: EngineSettings,
  { guarantee, health, incumbent, limits, plan }: AskedChoice
): PolicyContext => ({
  settings,
  // Any limit, also one that no request may have.
  request: {
    constraints: { ...request().constraints, ...limits, minQuality: incumbent?.qualityMin ?? null }, shadow: false
  },
  query: {
    task: task({ expectedInputTokens: 1_000_000, expectedOutputTokens: 1_000_000 }),
    classified: classified(),
    caching: { requirePromptCaching: false, incumbentModelId: incumbent?.cacheId ?? null },
    measurements: noNeighbours
  },
  health,
  attempts: plan,
  guarantee,
  budget: null
})

/** The choice that all policies make together. */
export const choiceOf = (
  settings: EngineSettings,
  candidates: Candidates,
  all: AskedChoice,
  draw = 0
): Choice => choose(policiesOf(contextOf(settings, all)), candidates, criteriaIn(all), draw)

/** The choice under a budget, and the choice by the lowest criteria. */
export const choiceWithin = (
  state: BudgetState,
  candidates: Candidates,
  asking: RecommendRequest,
  selectionPolicy: SelectionPolicy = "argmin"
): { readonly levels: CriteriaLevels; readonly choice: Choice; readonly least: Choice } => {
  const levels = criteriaLevels(defaults, asking, selectionPolicy, candidates, state)
  const first = choiceOf(defaults, candidates, asked(levels.asked))
  const least = levels.lowest === null ? first : choiceOf(defaults, candidates, asked(levels.lowest))
  return { levels, choice: isAffordable(defaults, first, state) ? first : least, least }
}

/** The reason to leave or keep the incumbent, from the incumbent's policy; null without an incumbent. */
export const switchReasonOf = (choice: Choice): SwitchReason | null =>
  choice.fields.flatMap(({ answered }) => {
    const said = answered?.(choice, ({ card: { modelId } }) => ({ modelId, effort: null, requestedModelId: null }))
    return said?.switchReason ?? []
  })[0] ?? null
