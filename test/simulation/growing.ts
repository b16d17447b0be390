import { Effect } from "effect"
import { type Kind, kinds, write } from "../../scripts/bench/arena/prompts.ts"
import { Catalog } from "../../src/catalog/Catalog.ts"
import type { ModelCard } from "../../src/domain/model/Model.ts"
import type { RecommendResponse } from "../../src/domain/Recommendation.ts"
import type { TaskType } from "../../src/domain/Task.ts"
import { generator, normal } from "../../src/stats/Generator.ts"
import { logit, sigmoid } from "../../src/stats/Logit.ts"
import { catalogOf } from "../support/fakes.ts"
import { bundledCatalog } from "../support/undatedCatalog.ts"
import { engine, learn, recommend } from "../engine/pipelines.ts"

/*
 * An account that grows: it asks about tasks of four types, runs what it is advised to run, and reports what a
 * gate found, the tokens and the bill. How well each model does, and how much it writes, is drawn once per
 * account around what benchmarks say of it.
 */

export interface Growth {
  readonly seed: number
  readonly outcomes: number
  /** The models; null for the whole catalog. */
  readonly candidates: ReadonlyArray<string> | null
  /** True if the caller gives the type and difficulty of its tasks. */
  readonly isHinted?: boolean
  readonly slider?: number
}

/** One answer, as the account received it. */
export interface Step {
  readonly answer: RecommendResponse
  readonly isEscalated: boolean
  /** Whether its costs rest on outcomes, also where they are those of an estimate. */
  readonly isGrounded: boolean
}

interface Job {
  readonly taskType: TaskType
  readonly kinds: ReadonlyArray<Kind>
  readonly input: number
  readonly output: number
}

const named = (...names: ReadonlyArray<string>): ReadonlyArray<Kind> =>
  kinds.filter(({ name }) => names.includes(name))

const jobs: ReadonlyArray<Job> = [
  { taskType: "code", kinds: named("bug", "sql", "refactor"), input: 1_200, output: 900 },
  { taskType: "classification", kinds: named("triage", "escalate"), input: 300, output: 40 },
  { taskType: "summarization", kinds: named("summarise-contract", "compare-clauses"), input: 5_000, output: 400 },
  { taskType: "creative", kinds: named("poem", "slogan", "story"), input: 200, output: 700 }
]

/** The truth of one account: each model's success rate, and its output tokens. */
const truthOf = (uniform: () => number) => {
  const ease = 0.8 + 0.4 * normal(uniform)
  const drawn = new Map<string, { readonly success: number; readonly verbosity: number }>()
  return (card: ModelCard, { taskType }: Job) => {
    const key = `${card.modelId}:${taskType}`
    const known = drawn.get(key)
    if (known !== undefined) return known
    const ability = logit(card.capabilityByTaskType[taskType] ?? 0.7) - 1.445
    const made = {
      success: sigmoid(ease + 0.6 + 1.2 * ability + 0.35 * normal(uniform)),
      verbosity: Math.exp(0.3 * normal(uniform))
    }
    drawn.set(key, made)
    return made
  }
}

const bundled = Effect.flatMap(Catalog, (catalog) => catalog.snapshot).pipe(Effect.provide(bundledCatalog))

/** Asks, runs what is advised and reports it, `outcomes` times; yields every answer in turn. */
export const grow = Effect.fnUntraced(function*(growth: Growth) {
  const { candidates, isHinted = true, outcomes, seed, slider = 5 } = growth
  const snapshot = yield* bundled
  const uniform = generator(seed * 7_919 + 5)
  const truth = truthOf(uniform)
  const steps: Array<Step> = []
  const live = Effect.gen(function*() {
    for (let i = 0; i < outcomes; i++) {
      const job = jobs[Math.floor(uniform() * jobs.length)]!
      const text = write(job.kinds[Math.floor(uniform() * job.kinds.length)]!, uniform)
      const answer = yield* recommend({
        task: { task: text, taskType: isHinted ? job.taskType : null, difficulty: isHinted ? "medium" : null },
        constraints: { candidateModels: candidates },
        costQualityTradeoff: slider
      })
      const { recommendedModel: { estCostBreakdown, modelId } } = answer
      const card = snapshot.models.find((each) => each.modelId === modelId)!
      const { success, verbosity } = truth(card, job)
      const inputTokens = Math.round(job.input * Math.exp(0.2 * normal(uniform)))
      const outputTokens = Math.round(job.output * verbosity * Math.exp(0.3 * normal(uniform)))
      yield* learn(answer, {
        chosenModelId: modelId,
        outcome: uniform() < success ? "success" : "failure",
        inputTokens,
        outputTokens,
        actualCostUsd: (inputTokens * card.inputCostPerMtok + outputTokens * card.outputCostPerMtok) / 1e6
      })
      steps.push({
        answer,
        isEscalated: answer.escalationReasons.length > 0,
        isGrounded: estCostBreakdown!["input"] === undefined || estCostBreakdown!["learned_ratio"] !== undefined
      })
    }
    return steps
  })
  return yield* live.pipe(Effect.provide(engine({ catalog: catalogOf({ ...snapshot, stale: false }) })))
})

/** Share of the steps for which something holds, in [0, 1]. */
export const shareOf = (steps: ReadonlyArray<Step>, holds: (step: Step) => boolean): number =>
  steps.filter(holds).length / steps.length
