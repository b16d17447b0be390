/* The requests that loads send: recommendations, feedback, workflows and reads. */
import { asked, askedLabels } from "./prompts.ts"

export type Kind = "recommend" | "feedback" | "workflow" | "read"
export const kinds: ReadonlyArray<Kind> = ["recommend", "feedback", "workflow", "read"]

/** One request of a load. */
export interface Ask {
  readonly kind: Kind
  readonly path: string
  /** Of a POST; null of a GET. */
  readonly body: string | null
}

export interface Decision {
  readonly recommendationId: string
  readonly modelId: string
}

const post = (kind: Kind, path: string, body: object): Ask => ({ kind, path, body: JSON.stringify(body) })

const taskOf = (index: number) => ({ task: asked[index % asked.length] })

export const recommend = (namespace: string, index: number, further: object = {}): Ask =>
  post("recommend", "/v1/recommend", { task: taskOf(index), namespace, ...further })

/** One of every prompt. */
export const recommendations = (namespace: string): ReadonlyArray<Ask> =>
  asked.map((_, index) => recommend(namespace, index))

/** One of every prompt with its type and difficulty, so that the service classifies nothing. */
export const recommendationsGiven = (namespace: string): ReadonlyArray<Ask> =>
  asked.map((_, index) => post("recommend", "/v1/recommend", {
    task: { ...taskOf(index), ...askedLabels[index] }, namespace
  }))

export const workflow = (namespace: string, index: number, steps: number): Ask =>
  post("workflow", "/v1/recommend/workflow", {
    steps: Array.from({ length: steps }, (_, step) => (
      { step_id: `step-${step}`, task: taskOf(index + step) }
    )),
    namespace
  })

/** Mixed outcomes; a gate labels two thirds of them, a judge the others. */
export const feedback = ({ modelId, recommendationId }: Decision, index: number): Ask =>
  post("feedback", "/v1/feedback", {
    recommendation_id: recommendationId,
    chosen_model_id: modelId,
    outcome: index % 4 === 0 ? "failure" : "success",
    evidence_source: index % 3 === 2 ? "judge" : "gate",
    input_tokens: 400,
    output_tokens: 300 + index % 500,
    actual_cost_usd: 0.002,
    latency_ms: 900 + index % 700
  })

const readPaths = [
  "savings?days=30", "strategies?max_strategies=5", "dashboard?days=30", "calibration?days=30",
  "policy-value?days=30"
]

/** What an open dashboard and an agent before its run ask for, in turns. */
export const read = (namespace: string, index: number): Ask => {
  const path = readPaths[index % readPaths.length] ?? ""
  return { kind: "read", path: `/v1/${path}&namespace=${namespace}`, body: null }
}

const pattern = /"recommendation_id":"([^"]+)","recommended_model":\{"model_id":"([^"]+)"/g
/** A single recommendation's is at its beginning. */
const beginningChars = 200

/** The decisions that an answer tells of. */
export const decisionsIn = (kind: Kind, body: Buffer): ReadonlyArray<Decision> => {
  if (kind === "feedback" || kind === "read") return []
  const text = body.toString("latin1", 0, kind === "recommend" ? beginningChars : body.length)
  return [...text.matchAll(pattern)].map(([, recommendationId = "", modelId = ""]) => (
    { recommendationId, modelId }
  ))
}

/** What is sent. */
export const bytesOf = ({ body, path }: Ask, port: number, key: string): Buffer => {
  const head = [`host: 127.0.0.1:${port}`, `authorization: Bearer ${key}`]
  if (body === null) return Buffer.from([`GET ${path} HTTP/1.1`, ...head, "\r\n"].join("\r\n"))
  const kind = ["content-type: application/json", `content-length: ${Buffer.byteLength(body)}`]
  return Buffer.from([`POST ${path} HTTP/1.1`, ...head, ...kind, "", body].join("\r\n"))
}
