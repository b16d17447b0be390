/* The model of a call, and the level of reasoning effort that the call requested. */
import type { LoggedCall } from "../LoggedCall.ts"
import type { Attributes } from "./OtlpValue.ts"
import { isRow, textOf } from "./Values.ts"

type CalledVariant = Pick<LoggedCall, "modelId" | "effort">

export const calledModel = (modelId: string): CalledVariant => ({ modelId, effort: null })

/** OpenAI writes `reasoning_effort` or `reasoning.effort`, and Anthropic writes `output_config.effort`. */
export const calledBy = (modelId: string, body: unknown): CalledVariant => {
  if (!isRow(body)) return calledModel(modelId)
  const nested = [body.reasoning, body.output_config].find(isRow)
  return { modelId, effort: textOf(body.reasoning_effort ?? nested?.effort) }
}

/** Attributes for effort: those of the GenAI conventions 0.1, Claude Code's and codex's. */
const levelNames = [
  "gen_ai.request.reasoning.level", "gen_ai.request.reasoning_effort", "effort", "model_reasoning_effort"
] as const

export const calledIn = (modelId: string, attributes: Attributes): CalledVariant =>
  ({ modelId, effort: textOf(attributes.get(...levelNames)) })
