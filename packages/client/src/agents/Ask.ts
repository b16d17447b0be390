/* Sends the questions and reports of all tools to the service. */
import { createHash } from "node:crypto"
import { type Fields, fieldsAt, textAt } from "./Json.ts"
import { NoAnswer, send } from "./Post.ts"
import type { Settings, ToolName } from "./Settings.ts"
import { taskTextOf } from "./TaskText.ts"

export interface Question {
  readonly tool: ToolName
  /** The kind of agent, such as `general-purpose`; `main` for the agent that a person talks to. */
  readonly agent: string
  readonly prompt: string
  readonly description?: string
  /** Id of the session. If a prompt is repeated in a session, it is the same task. */
  readonly session: string
  /** The models that may run: the tool's name of each model, by catalog id. */
  readonly models: Readonly<Record<string, string>>
  /** Id or name of the model that would run if Sextant were not asked. */
  readonly baseline?: string
  /** Id of the model that holds this conversation's prompt cache. */
  readonly incumbent?: string
  readonly shadow?: boolean
  /** Ids of earlier recommendations for this task whose results failed a check, the oldest first. */
  readonly failed?: ReadonlyArray<string>
  /** Whether the caller tries again after a failed check, so that the plan may start with a cheap model. */
  readonly isRetried?: boolean
  readonly maxAttempts?: number
}

export interface Pick {
  readonly recommendationId: string
  readonly modelId: string
  readonly model: string
  readonly effort: string | null
  readonly predictedSuccess: number | null
  /** Whether a further attempt is worth its cost; true if the service made no plan. */
  readonly isWorthTrying: boolean
}

/** A hash of session and prompt, from which neither can be read. */
export const taskIdOf = (session: string, prompt: string): string =>
  createHash("sha256").update(`${session}\n${prompt}`).digest("hex").slice(0, 32)

/** Fails with {@link NoAnswer}. */
export const ask = async (
  settings: Settings,
  question: Question,
  deadlineMs: number
): Promise<Pick> => {
  const { agent, baseline, failed = [], incumbent, models, prompt, session, shadow, tool } = question
  const answer = await send(settings, "/v1/recommend", {
    task: {
      task: taskTextOf(settings.taskText, prompt, question.description),
      task_type: "code", unit: "run", tags: [`harness:${tool}`, `agent:${agent}`]
    },
    constraints: { candidate_models: Object.keys(models) },
    detail: "short",
    task_id: taskIdOf(session, prompt),
    namespace: settings.namespace,
    cost_quality_tradeoff: settings.costQualityTradeoff,
    baseline_model_id: baseline || undefined,
    incumbent_model_id: incumbent || undefined,
    shadow: shadow || undefined,
    attempts: failed.length === 0 ? undefined : failed.map((recommendation_id) => ({ recommendation_id })),
    verification: question.isRetried ? { kind: "gate" } : undefined,
    max_attempts: question.maxAttempts
  }, deadlineMs)
  const named = fieldsAt(answer, "recommended_model")
  const recommendationId = textAt(answer, "recommendation_id")
  const [id, effort] = [textAt(named, "model_id"), textAt(named, "effort") || null]
  const modelId = [textAt(named, "requested_model_id"), `${id}#${effort}`, id]
    .find((one) => Object.hasOwn(models, one))
  if (recommendationId === "") throw new NoAnswer("invalid_answer")
  const model = modelId === undefined ? undefined : models[modelId]
  if (modelId === undefined || model === undefined) throw new NoAnswer("unknown_model")
  const { attempts } = fieldsAt(answer, "plan")
  const { predicted_success: predicted } = named
  return {
    recommendationId, modelId, model,
    effort,
    predictedSuccess: typeof predicted === "number" ? predicted : null,
    isWorthTrying: !Array.isArray(attempts) || attempts.length > 0
  }
}

export const askedRow = (tool: ToolName, pick: Pick, isApplied: boolean, startedAt: number): Fields => ({
  kind: "asked", tool, recommendation_id: pick.recommendationId, model_id: pick.modelId, effort: pick.effort,
  predicted_success: pick.predictedSuccess, is_applied: isApplied, ms: Date.now() - startedAt
})

/** Tokens of one or more model calls. `input` includes cached tokens. */
export interface Tokens {
  readonly input: number
  readonly cached: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
}

export const noTokens: Tokens = { input: 0, cached: 0, cacheWrite: 0, output: 0, reasoning: 0 }

export const added = (one: Tokens, other: Tokens): Tokens => ({
  input: one.input + other.input,
  cached: one.cached + other.cached,
  cacheWrite: one.cacheWrite + other.cacheWrite,
  output: one.output + other.output,
  reasoning: one.reasoning + other.reasoning
})

export interface Ran {
  /** Empty if unknown. */
  readonly modelId: string
  readonly effort?: string | null
  /** Number of model calls in the run; 0 if unknown. */
  readonly calls: number
  readonly tokens: Tokens
  readonly latencyMs?: number
  readonly costUsd?: number
  /** Whether the last check of the work passed; null if there was no check. */
  readonly hasPassed: boolean | null
  readonly isBroken?: boolean
  /** Whether a signal stopped the run. */
  readonly isStopped?: boolean
}

/** A broken run is reported as `infra`, not as the model's fault. A run without a check has no verdict. */
const verdictOf = ({ hasPassed, isBroken }: Ran): Fields =>
  isBroken ? { outcome: "failure", error_cause: "infra" }
  : hasPassed === null ? { outcome: "partial", evidence_source: "none" }
  : { outcome: hasPassed ? "success" : "failure", evidence_source: "gate" }

/** The time limit for sending a report is `deadlineMs`, but at least 2,000 ms. */
const reportMs = 2_000

/**
 * Reports a run by ids and numbers, without any of its text. Returns, for the session's state file, the
 * verdict and whether the service accepted the report. Fails with {@link NoAnswer}.
 */
export const report = async (settings: Settings, recommendationId: string, ran: Ran): Promise<Fields> => {
  const { calls, costUsd, effort, latencyMs, modelId, tokens } = ran
  const verdict = verdictOf(ran)
  const body = {
    recommendation_id: recommendationId,
    chosen_model_id: modelId || undefined,
    chosen_effort: effort || undefined,
    ...verdict,
    ...(calls === 0 ? {} : {
      input_tokens: tokens.input, cached_input_tokens: tokens.cached,
      cache_write_input_tokens: tokens.cacheWrite, output_tokens: tokens.output,
      reasoning_tokens: tokens.reasoning,
      iterations: calls
    }),
    signals: { ended: ran.isStopped ? "interrupted" : ran.isBroken ? "error" : "finished" },
    latency_ms: latencyMs === undefined ? undefined : Math.round(latencyMs),
    actual_cost_usd: costUsd || undefined,
    // A resumed agent stops again after more calls, whose number makes the second stop a new report.
    idempotency_key: `${recommendationId}:${calls}`
  }
  const { accepted } = await send(settings, "/v1/feedback", body, Math.max(reportMs, settings.deadlineMs))
  return { recommendation_id: recommendationId, ...verdict, accepted }
}
