/* The model of a call as it was called: by its name, at a level of reasoning effort or at none. */
import type { LoggedCall } from "../LoggedCall.ts"
import type { Attributes } from "./OtlpValue.ts"
import { isRow, textOf } from "./Values.ts"

type CalledVariant = Pick<LoggedCall, "modelId" | "effort">

/** The model of a call whose format does not say more. */
export const calledModel = (modelId: string): CalledVariant => ({ modelId, effort: null })

/**
 * The model, at the level that the body of the request asks for: OpenAI's `reasoning_effort` and
 * `reasoning.effort`, Anthropic's `output_config.effort`.
 */
export const calledBy = (modelId: string, body: unknown): CalledVariant => {
  if (!isRow(body)) return calledModel(modelId)
  const nested = [body.reasoning, body.output_config].find(isRow)
  return { modelId, effort: textOf(body.reasoning_effort ?? nested?.effort) }
}

/** The attributes of a level since 0.1 of the conventions' own repository, Claude Code's and codex's. */
const levelNames = [
  "gen_ai.request.reasoning.level", "gen_ai.request.reasoning_effort", "effort", "model_reasoning_effort"
] as const

/** The model, at the level that the attributes of its span or its record name. */
export const calledIn = (modelId: string, attributes: Attributes): CalledVariant =>
  ({ modelId, effort: textOf(attributes.get(...levelNames)) })

/** The model, at the level of a row of our own. */
export const calledInRow = (modelId: string, { effort }: { readonly effort?: unknown }): CalledVariant =>
  ({ modelId, effort: textOf(effort) })
