/* The requests that loads send: recommendations, feedback, workflows and reads. */
import { asked, known } from "./prompts.ts"

export type Kind = "recommend" | "feedback" | "workflow" | "read"
export const kinds: ReadonlyArray<Kind> = ["recommend", "feedback", "workflow", "read"]

/** One request of a load. */
export interface Ask {
  readonly kind: Kind
  readonly path: string
  /** The body of a POST; null for a GET. */
  readonly body: string | null
  /** Headers in addition to those of every request. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Decision {
  readonly recommendationId: string
  readonly modelId: string
}

const post = (kind: Kind, path: string, body: object): Ask => ({ kind, path, body: JSON.stringify(body) })

const taskOf = (index: number) => ({ task: asked[index % asked.length] })

export const recommend = (namespace: string, index: number, further: object = {}): Ask =>
  post("recommend", "/v1/recommend", { task: taskOf(index), namespace, ...further })

/** A text that no other request has: a prompt and its number. */
export const numberedText = (index: number): string => `${taskOf(index).task}\n(${index})`

export const numbered = (namespace: string, index: number, further: object = {}): Ask =>
  recommend(namespace, index, { task: { task: numberedText(index) }, ...further })

/** A recommendation for each prompt. */
export const recommendations = (namespace: string): ReadonlyArray<Ask> =>
  asked.map((_, index) => recommend(namespace, index))

export const workflow = (namespace: string, index: number, steps: number): Ask =>
  post("workflow", "/v1/recommend/workflow", {
    steps: Array.from({ length: steps }, (_, step) => (
      { step_id: `step-${step}`, task: taskOf(index + step) }
    )),
    namespace
  })

const used = (index: number) => ({
  input_tokens: 400, output_tokens: 300 + index % 500, actual_cost_usd: 0.002, latency_ms: 900 + index % 700
})

/** Mixed outcomes; a gate labels two thirds of them, a judge the others. */
export const feedback = ({ modelId, recommendationId }: Decision, index: number): Ask =>
  post("feedback", "/v1/feedback", {
    recommendation_id: recommendationId,
    chosen_model_id: modelId,
    outcome: index % 4 === 0 ? "failure" : "success",
    evidence_source: index % 3 === 2 ? "judge" : "gate",
    ...used(index)
  })

const words = known.map((prompt) => prompt.split(" ").at(-1) ?? "")

/** A report of a call's usage, before its result is known. */
export const usage = ({ modelId, recommendationId }: Decision, index: number): Ask =>
  post("feedback", "/v1/feedback", {
    recommendation_id: recommendationId, chosen_model_id: modelId, outcome: "success", evidence_source: "none",
    idempotency_key: `usage-${recommendationId}`, ...used(index)
  })

/** A gate's verdict; a quarter are failures, most with different messages. */
export const verdict = ({ modelId, recommendationId }: Decision, index: number): Ask =>
  post("feedback", "/v1/feedback", {
    recommendation_id: recommendationId, chosen_model_id: modelId, evidence_source: "gate",
    idempotency_key: `verdict-${recommendationId}`, ...used(index),
    ...(index % 4 === 0
      ? { outcome: "failure", notes: `AssertionError: expected ${words[index % 97]} of ${words[index % 89]}` }
      : { outcome: "success" })
  })

const readPaths = [
  "savings?days=30", "strategies?max_strategies=5", "dashboard?days=30", "calibration?days=30",
  "policy-value?days=30"
]

/** The reads of an open dashboard and of an agent before its run, in turns. */
export const read = (namespace: string, index: number): Ask => {
  const path = readPaths[index % readPaths.length] ?? ""
  return { kind: "read", path: `/v1/${path}&namespace=${namespace}`, body: null }
}

const pattern = /"recommendation_id":"([^"]+)","recommended_model":\{"model_id":"([^"]+)"/g
/** Characters at the beginning of a single recommendation, which has its id there. */
const beginningChars = 200

/** The decisions that an answer tells of. */
export const decisionsIn = (kind: Kind, body: Buffer): ReadonlyArray<Decision> => {
  if (kind === "feedback" || kind === "read") return []
  const text = body.toString("latin1", 0, kind === "recommend" ? beginningChars : body.length)
  return [...text.matchAll(pattern)].map(([, recommendationId = "", modelId = ""]) => (
    { recommendationId, modelId }
  ))
}
