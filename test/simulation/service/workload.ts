import type { Draw } from "./seeded.ts"

/* What clients ask for and report, drawn: bodies on the wire, and nothing else. */

export const namespaces = [null, "shop"] as const
export type Namespace = typeof namespaces[number]

/** The one id of a model that no catalog has. */
export const unheardOf = "unheard-of"

/** Tasks of several kinds, some clear and some not; no two are near-identical. */
const tasks = [
  { task: "Write a function that sums a list of integers in Haskell", task_type: "code", difficulty: "easy" },
  { task: "Find the memory leak in this Rust service", task_type: "code", difficulty: "hard" },
  { task: "What is the capital of Mongolia, and since when?", task_type: "qa", difficulty: "trivial" },
  { task: "Prove that the square root of two is irrational", task_type: "reasoning", difficulty: "medium" },
  { task: "Translate the attached contract into Portuguese", task_type: "translation" },
  { task: "Shorten this article to three sentences" },
  { task: "Look at this and do what is needed" },
  { task: "Handle the attached thing" },
  { task: "A limerick about a database that forgets", task_type: "creative", difficulty: "expert" },
  { task: "Which invoices of March are unpaid? Call the ledger tool", task_type: "tool_use" }
] as const

const modelIds = ["nano", "mini", "small", "middle", "even", "large", "huge", "dear"] as const

const some = <A>(draw: Draw, from: ReadonlyArray<A>, share: number): ReadonlyArray<A> =>
  from.filter(() => draw.chance(share))

const maybe = <A extends object>(draw: Draw, share: number, make: () => A): A | Record<string, never> =>
  draw.chance(share) ? make() : {}

const constraintsOf = (draw: Draw) => ({
  ...maybe(draw, 0.15, () => ({ candidate_models: some(draw, modelIds, 0.6) })),
  ...maybe(draw, 0.15, () => ({ excluded_models: some(draw, modelIds, 0.4) })),
  ...maybe(draw, 0.1, () => ({ allowed_providers: some(draw, ["acme-ai", "bolt-ai", "corp-ai"], 0.7) })),
  ...maybe(draw, 0.1, () => ({ require_prompt_caching: true })),
  ...maybe(draw, 0.1, () => ({ require_context_window: draw.of([1_000, 64_000, 200_000]) })),
  ...maybe(draw, 0.15, () => ({ max_cost_per_call: draw.of([0, 0.0005, 0.002, 0.05]) })),
  ...maybe(draw, 0.15, () => ({ max_latency_ms: draw.of([50, 800, 5_000]) })),
  ...maybe(draw, 0.15, () => ({ min_quality: draw.of([0, 0.5, 0.8, 1]) }))
})

export const recommendBody = (draw: Draw, namespace: Namespace): object => ({
  task: {
    ...draw.of(tasks),
    ...maybe(draw, 0.2, () => ({ expected_input_tokens: draw.below(20_000) })),
    ...maybe(draw, 0.2, () => ({ tags: ["lang:python"] }))
  },
  namespace,
  ...maybe(draw, 0.5, () => ({ cost_quality_tradeoff: draw.of([0, 2.5, 7.5, 10]) })),
  ...maybe(draw, 0.6, () => ({ constraints: constraintsOf(draw) })),
  ...maybe(draw, 0.3, () => ({ user_id: draw.of(["ada", "bob"]) })),
  ...maybe(draw, 0.3, () => ({ max_candidates: draw.of([1, 2, 4, 64]) })),
  ...maybe(draw, 0.2, () => ({ allow_llm_escalation: false })),
  ...maybe(draw, 0.2, () => ({ explain: false })),
  ...maybe(draw, 0.3, () => ({ baseline_model_id: draw.of(["dear", unheardOf]) })),
  ...maybe(draw, 0.2, () => ({ incumbent_model_id: draw.of(modelIds) })),
  ...maybe(draw, 0.15, () => ({ shadow: true }))
})

export const workflowBody = (draw: Draw, namespace: Namespace) => {
  const first = draw.below(tasks.length)
  return {
    steps: Array.from({ length: 1 + draw.below(4) }, (_, index) => ({
      step_id: `step-${index}`,
      task: tasks[(first + index) % tasks.length]
    })),
    namespace,
    ...maybe(draw, 0.3, () => ({ allow_llm_escalation: false }))
  }
}

/** An account's texts may appear in no other account's answers. */
export const canaryOf = (account: string, namespace: Namespace): string => `canary-${account}-${namespace}`

export const feedbackBody = (
  draw: Draw,
  about: {
    readonly account: string
    readonly namespace: Namespace
    readonly recommendationId: string
    readonly modelId: string
  }
): Readonly<Record<string, unknown>> => {
  const outcome = draw.of(["success", "success", "success", "partial", "failure"] as const)
  const canary = canaryOf(about.account, about.namespace)
  return {
    recommendation_id: about.recommendationId,
    chosen_model_id: draw.chance(0.8) ? about.modelId : draw.of(modelIds),
    outcome,
    ...maybe(draw, 0.5, () => ({ quality_score: draw.of([0, 0.3, 0.7, 0.95, 1]) })),
    ...maybe(draw, 0.7, () => ({ evidence_source: draw.of(["gate", "gate", "human", "judge", "none"]) })),
    ...maybe(draw, 0.2, () => ({ error_cause: draw.of(["infra", "quality"]) })),
    ...maybe(draw, 0.1, () => ({ judged: draw.chance(0.5) })),
    ...maybe(draw, 0.6, () => ({ actual_cost_usd: draw.of([0, 0.0004, 0.003]) })),
    ...maybe(draw, 0.5, () => ({ input_tokens: draw.below(3_000), output_tokens: draw.below(2_000) })),
    ...maybe(draw, 0.5, () => ({ latency_ms: draw.of([40, 700, 4_000]) })),
    ...maybe(draw, 0.4, () => ({ notes: `it said ${canary}: connection reset by peer` })),
    ...maybe(draw, 0.25, () => ({
      step_outcomes: Array.from({ length: draw.of([1, 2, 33]) }, (_, index) =>
        ({ step_id: `s${index}`, outcome: draw.of(["success", "failure"]), rationale: canary }))
    }))
  }
}
