/* Reads fields of requests to models and of their answers, in the forms of several APIs. */
import { countOf, isRow, type Row, textOf, type UnusableFields } from "./Values.ts"

/** Returns the tier in a request, an answer, or an answer's usage; null if none is named. */
export const serviceTierOf = (body: unknown): string | null => isRow(body) ? textOf(body.service_tier) : null

export const detail = (details: unknown, name: string): unknown => isRow(details) ? details[name] : undefined

/** Anthropic counts web searches in `server_tool_use`, and LiteLLM counts them in `prompt_tokens_details`. */
export const webSearchesOf = (usage: unknown, unusable: UnusableFields): number | null => {
  const name = "web_search_requests"
  const searches = detail(detail(usage, "server_tool_use"), name)
    ?? detail(detail(usage, "prompt_tokens_details"), name)
  return countOf(searches, name, unusable)
}

/** Returns null for a cost of 0 unless there are 0 output tokens: a gateway writes 0 for an unknown price. */
export const knownCost = (costUsd: number | null, outputTokens: number | null): number | null =>
  costUsd === 0 && outputTokens !== 0 ? null : costUsd

/** Returns the value of the first named field that is not empty; undefined if all are empty. */
export const firstOf = (row: Row, ...names: ReadonlyArray<string>): unknown => {
  for (const name of names) {
    const value = row[name]
    if (value !== undefined && value !== null && value !== "") return value
  }
  return undefined
}
