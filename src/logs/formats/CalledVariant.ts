/* The model of a call, and the level of reasoning effort that the call requested. */
import type { LoggedCall } from "../LoggedCall.ts"
import type { Attributes } from "./OtlpValue.ts"
import { isRow, textOf } from "./Values.ts"

type CalledVariant = Pick<LoggedCall, "modelId" | "effort">

export const calledModel = (modelId: string): CalledVariant => ({ modelId, effort: null })

/**
 * Returns a model with the level of effort in the body of a request. OpenAI writes `reasoning_effort` and
 * `reasoning.effort`, and Anthropic writes `output_config.effort`.
 */
export const calledBy = (modelId: string, body: unknown): CalledVariant => {
  if (!isRow(body)) return calledModel(modelId)
  const nested = [body.reasoning, body.output_config].find(isRow)
  return { modelId, effort: textOf(body.reasoning_effort ?? nested?.effort) }
}

/**
 * Attributes for the level of effort: first those of the GenAI conventions 0.1, then Claude Code's and
 * codex's.
 */
const levelNames = [
  "gen_ai.request.reasoning.level", "gen_ai.request.reasoning_effort", "effort", "model_reasoning_effort"
] as const

/** Returns a model with the level of effort in the attributes of its span or record. */
export const calledIn = (modelId: string, attributes: Attributes): CalledVariant =>
  ({ modelId, effort: textOf(attributes.get(...levelNames)) })
