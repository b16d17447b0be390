import type { Decision, Forecast } from "../../src/domain/Decision.ts"
import { type AttributedFeedback, FeedbackRequest } from "../../src/domain/feedback/Feedback.ts"
import type { DeclaredFacts } from "../../src/domain/model/Facts.ts"
import type { CatalogSnapshot, ListPrices, ModelCard } from "../../src/domain/model/Model.ts"
import { RecommendRequest } from "../../src/domain/Recommendation.ts"
import type { RecommendationId } from "../../src/domain/RecommendationId.ts"
import { reported } from "../../src/domain/feedback/FeedbackPrecedence.ts"
import { AccountId, laneOf } from "../../src/domain/Scope.ts"
import { clusterOf, TaskInput } from "../../src/domain/Task.ts"
import type { CombinedFeedback } from "../../src/engine/learn/FeedbackContext.ts"
import { reportOf } from "../../src/engine/learn/AddReport.ts"
import { usageOf } from "../../src/engine/learn/Usage.ts"
import { verdict } from "../../src/engine/learn/Verdict.ts"
import type { PredictionEvidence } from "../../src/engine/recommend/Aggregate.ts"
import { type Candidate, type Classified, noneWeighed, type Predicted, type CostedCandidate, type WeighedNeighbours } from "../../src/engine/recommend/candidates/Candidate.ts"
import { defaults } from "../../src/engine/Settings.ts"
import type { Recalled, Tallies } from "../../src/memory/Memory.ts"
import type { Neighbour } from "../../src/memory/Neighbour.ts"
import { Neighbours, noNeighbours } from "../../src/memory/Neighbours.ts"
import { logit } from "../../src/stats/Logit.ts"

/** A text as an id, for tests that only compare ids. It need not have an id's form. */
export const idOf = (text: string): RecommendationId => text as RecommendationId

/** The account of that name. */
export const accountOf = (name = "acme"): AccountId => AccountId.make(name)

/** Declared facts of a model, all unknown. */
export const unknownFacts: DeclaredFacts = {
  supportsImages: null, supportsAudio: null, supportsFiles: null, supportsTools: null, supportsStructuredOutput: null,
  supportsReasoning: null, dataRegions: null, retiresOn: null
}

/** A model at 1 USD in and 2 USD out per million tokens, without outside facts. */
export const card = (modelId: string, over: Partial<ModelCard> = {}): ModelCard => ({
  modelId,
  provider: "acme-ai",
  displayName: modelId,
  inputCostPerMtok: 1,
  outputCostPerMtok: 2,
  cacheReadCostPerMtok: null,
  supportsPromptCaching: false,
  contextWindow: 100_000,
  maxOutputTokens: null,
  capabilityPriors: null,
  capabilityByTaskType: {},
  costSource: "bundled",
  costFetchedAt: null,
  costStale: false,
  capabilitySource: "none",
  capabilityAsOf: null,
  aliases: [],
  ...over
})

/** A card with one benchmark prior, alike for all types. */
export const measuredCard = (modelId: string, capability: number, usdPerMtok: number): ModelCard =>
  card(modelId, {
    inputCostPerMtok: usdPerMtok,
    outputCostPerMtok: usdPerMtok * 4,
    capabilityByTaskType: { code: capability, qa: capability },
    capabilitySource: "benchmark"
  })

export const snapshot = (
  models: ReadonlyArray<ModelCard>,
  over: Partial<CatalogSnapshot> = {}
): CatalogSnapshot => ({
  models,
  version: "v-test",
  refreshedAt: new Date(0),
  stale: false,
  costSource: "bundled",
  ...over
})

type Made<S extends { readonly "~type.make.in": unknown }> = Partial<S["~type.make.in"]>

export const task = (over: Made<typeof TaskInput> = {}): TaskInput =>
  TaskInput.make({
    task: "Write a function that sums a list", taskType: "code", difficulty: "medium", ...over
  })

export const request = (over: Made<typeof RecommendRequest> = {}): RecommendRequest =>
  RecommendRequest.make({ task: task(), ...over })

export const classified = (over: Partial<Classified> = {}): Classified => {
  const taskType = over.taskType ?? "code"
  const difficulty = over.difficulty ?? "medium"
  return {
    taskType,
    difficulty,
    cluster: clusterOf(taskType, difficulty, "call"),
    isDifficultyKnown: true,
    difficultyLogit: null,
    isUncertain: false,
    isRefined: false,
    ...over
  }
}

export const neighbour = (modelId: string, over: Partial<Neighbour> = {}): Neighbour => ({
  entryId: `entry-${modelId}`,
  modelId,
  cluster: "code:medium",
  similarity: 0.9,
  reliability: 1,
  quality: 1,
  ageDays: 0,
  isStale: false,
  currentShare: 1,
  provenanceWeight: 1,
  propensity: null,
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
  latencyMs: null,
  timeToFirstTokenMs: null,
  isCostOutlier: false,
  ...over
})

/** `count` neighbours of one model, with entry ids of their own. */
export const neighbours = (
  count: number,
  modelId: string,
  over: (index: number) => Partial<Neighbour> = () => ({})
): ReadonlyArray<Neighbour> =>
  Array.from({ length: count }, (_, i) => neighbour(modelId, { entryId: `${modelId}-${i}`, ...over(i) }))

/** Neighbours of one model with equal weights, or with those of `weightOf`, which must not rise. */
export const weighed = (
  found: ReadonlyArray<Neighbour>,
  weightOf: (index: number) => number = () => 1
): WeighedNeighbours => {
  const weights = found.map((_, i) => weightOf(i))
  return {
    all: Neighbours.of(found), rows: [...found.keys()], weights, heavy: weights.filter((weight) => weight > 0).length
  }
}

/** Weighed neighbours as objects, each with its weight. */
export const objectsOf = ({ all, rows, weights }: WeighedNeighbours) =>
  rows.map((row, i) => ({ neighbour: all.at(row), weight: weights[i] ?? 0 }))

export const recalled = (
  found: ReadonlyArray<Neighbour> = [],
  tallies: ReadonlyArray<readonly [string, Tallies]> = []
): Recalled => ({
  neighbours: Neighbours.of(found),
  measurements: noNeighbours,
  tallies: new Map(tallies),
  laneSize: found.length
})

export const candidate = (modelId: string, over: Partial<Candidate> = {}): Candidate => ({
  card: card(modelId),
  prior: 0.7,
  priorStrength: 12,
  priorLogit: logit(over.prior ?? 0.7),
  priorSpread: 0.35,
  ...over
})

/** A forecast in which all predictors agree. */
export const forecast: Forecast = { base: 0.7, cells: 0.7, local: 0.7, mixed: 0.7 }

export const predicted = (modelId: string, over: Partial<Predicted> = {}): Predicted => ({
  ...candidate(modelId),
  predictedSuccess: 0.7,
  sampleSize: 12,
  successLow: 0.4,
  successHigh: 0.9,
  confidence: 0.5,
  decisionBasis: "prior",
  forecast,
  laneWeight: 0,
  cellWeight: 0,
  optimisticSuccess: 0,
  highPriorSuccess: 0,
  neighbours: noneWeighed,
  ...over
})

/** Evidence of a lane that has learned nothing, when nothing is recalled. */
export const evidence = (over: Partial<PredictionEvidence> = {}): PredictionEvidence => ({
  recalled: recalled(),
  numbers: defaults.laneStart,
  isDifficultyKnown: false,
  tags: [],
  ...over
})

/** Evidence that was lived rather than seeded. */
export const lived = <A extends { readonly entryId: string }>(evidence: ReadonlyArray<A> = []): ReadonlyArray<A> =>
  evidence.filter(({ entryId }) => !entryId.startsWith("seed:"))

/** A candidate with a cost and a predicted success, ready for the choice. */
export const priced = (
  modelId: string,
  predictedSuccess: number,
  costUsd: number,
  over: Partial<CostedCandidate> = {}
): CostedCandidate => ({
  ...predicted(modelId),
  predictedSuccess,
  cost: { costUsd, breakdown: { input: costUsd, output: 0 }, lowUsd: null, highUsd: null, bandBasis: "" },
  costBasis: "estimate",
  latencyMs: null,
  timeToFirstTokenMs: null,
  ...over
})

/** A recommendation of `cheap` made at the start of time, with neighbours of two models. */
export const decision = (over: Partial<Decision> = {}): Decision => ({
  recommendationId: idOf("00000000-0000-7000-8000-000000000001"),
  workflowId: null,
  accountId: accountOf(),
  createdAt: new Date(0),
  lane: laneOf(null),
  userId: null,
  taskExcerpt: "Write a function that sums a list",
  taskType: "code",
  difficulty: "medium",
  cluster: "code:medium",
  tags: [],
  recommendedModelId: "cheap",
  predictedSuccess: 0.8,
  threshold: 0.735,
  successValueUsd: null,
  decisionBasis: "memory",
  selectionPolicy: "argmin",
  propensity: 1,
  isExploration: false,
  costMarginUsd: null,
  isEscalated: false,
  isShadow: false,
  guaranteeBaselineId: null,
  guaranteeCandidateId: null,
  taskKey: null,
  attemptNumber: null,
  costRecommendedUsd: 0.001,
  costPremiumUsd: 0.01,
  baselineModelId: null,
  costDeclaredUsd: null,
  candidates: [],
  neighbours: [],
  forecasts: [],
  warnings: [],
  catalogVersion: "v-test",
  latencyMs: 0,
  reasonerCostUsd: null,
  ...over
})

export const feedback = (over: Made<typeof FeedbackRequest> = {}): AttributedFeedback => {
  const said = FeedbackRequest.make({ recommendationId: decision().recommendationId, outcome: "success", ...over })
  return { ...said, chosenModelId: said.chosenModelId ?? "cheap" }
}

/** A feedback that is the first report of its decision, `afterMs` after its recommendation. */
export const combined = (
  over: { readonly decision?: Decision; readonly request?: AttributedFeedback; readonly afterMs?: number; readonly prices?: ListPrices } = {}
): CombinedFeedback => {
  const about = over.decision ?? decision()
  const said = over.request ?? feedback()
  const now = new Date(about.createdAt.getTime() + (over.afterMs ?? 1_000))
  const told = {
    accountId: accountOf(),
    decision: about,
    request: said,
    now,
    observationId: "00000000-0000-7000-8000-000000000002",
    verdict: verdict(defaults, about, said, now),
    usage: usageOf(defaults, said, over.prices),
    modelSinceMs: 0,
    provider: "acme-ai",
    keyId: "k1",
    nameWarnings: []
  }
  const { after, before } = reported([], reportOf(told), 1, 16)
  return { ...told, before, outcome: after }
}
