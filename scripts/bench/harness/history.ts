/* Writes the past outcomes of a benchmark's lane through the memory port. */
import { Effect } from "effect"
import { noAccountModels } from "../../../src/domain/account/AccountModels.ts"
import { usdOf } from "../../../src/domain/model/Cost.ts"
import { RecommendRequest } from "../../../src/domain/Recommendation.ts"
import * as RecommendationId from "../../../src/domain/RecommendationId.ts"
import { AccountId, laneOf } from "../../../src/domain/Scope.ts"
import { type Cluster, TaskInput } from "../../../src/domain/Task.ts"
import type { Candidate, Classified } from "../../../src/engine/recommend/candidates/Candidate.ts"
import { heuristic } from "../../../src/engine/recommend/Classify.ts"
import { filter } from "../../../src/engine/recommend/Filter.ts"
import { teach } from "../../../src/memory/DirectWrites.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import type { Observation } from "../../../src/domain/MemoryWrite.ts"
import { generator } from "../../../src/stats/Generator.ts"
import { known } from "./prompts.ts"

export const key = `sxt_bench_k1_${"b".repeat(32)}`
export const accountId = AccountId.make("bench")

const modelsMax = 64
const hourMs = 3_600_000

/** The models that a task of this kind would be offered, the likeliest first. */
const offered = Effect.fnUntraced(function*(task: TaskInput, guess: Classified) {
  const request = RecommendRequest.make({ task, maxCandidates: modelsMax })
  const { candidates } = yield* filter(request, guess, noAccountModels, () => new Map())
  return candidates
})

const makeOffers = () => {
  const offers = new Map<Cluster, ReadonlyArray<Candidate>>()
  return Effect.fnUntraced(function*(task: TaskInput, guess: Classified) {
    const candidates = offers.get(guess.cluster) ?? (yield* offered(task, guess))
    offers.set(guess.cluster, candidates)
    return candidates
  })
}

/** The `index`th outcome of a lane: a known prompt, run by one of the models that it would be offered. */
const observation = Effect.fnUntraced(function*(
  namespace: string,
  index: number,
  uniform: () => number,
  offersFor: ReturnType<typeof makeOffers>
) {
  const task = TaskInput.make({ task: known[(index * 61) % known.length] ?? "" })
  const guess = heuristic(task)
  const candidates = yield* offersFor(task, guess)
  // The cube sends most traffic to the few models that come first, as a real lane does.
  const { card, prior } = candidates[Math.floor(candidates.length * uniform() ** 3)] ?? candidates[0]!
  const isSuccess = uniform() < prior
  const outputTokens = 100 + Math.floor(1_500 * uniform())
  return {
    accountId,
    lane: laneOf(namespace),
    observationId: RecommendationId.make(Date.now()),
    task: task.task,
    taskType: guess.taskType,
    difficulty: guess.difficulty,
    cluster: guess.cluster,
    tags: [],
    userId: null,
    modelId: card.modelId,
    outcome: isSuccess ? "success" : "failure",
    quality: isSuccess ? 1 : 0,
    provenance: "gate",
    provenanceWeight: 1,
    propensity: null,
    inputTokens: task.task.length >> 2,
    outputTokens,
    costUsd: usdOf(card, { input: 0, output: outputTokens }),
    latencyMs: 500 + 5_000 * uniform(),
    timeToFirstTokenMs: null,
    revision: 0,
    verdictRevision: 0,
    isCostOutlier: false,
    teaches: true,
    occurredAt: new Date(Date.now() - hourMs * 24 * 30 * uniform())
  } satisfies Observation
})

/** Teaches the lane of `namespace` outcomes `from` to `to`, in order. */
export const fill = Effect.fnUntraced(function*(namespace: string, from: number, to: number) {
  const memory = yield* Memory
  const uniform = generator(from + 1)
  const offersFor = makeOffers()
  for (let i = from; i < to; i++) {
    yield* teach(memory, yield* observation(namespace, i, uniform, offersFor))
  }
})
