/* Reads the bodies of a request to a model and of its answer, in the forms of several APIs. */
import { countOf, isRow, type Row, textOf, type UnusableFields } from "./Values.ts"

/** The service tier that a request asks for, or an answer or its usage says; null where it names none. */
export const serviceTierOf = (body: unknown): string | null => isRow(body) ? textOf(body.service_tier) : null

/** A field of an object that a log may not have. */
export const detail = (details: unknown, name: string): unknown => isRow(details) ? details[name] : undefined

/** The searches of a usage: Anthropic counts them by the tool, LiteLLM those of others beside the tokens. */
export const webSearchesOf = (usage: unknown, unusable: UnusableFields): number | null => {
  const name = "web_search_requests"
  const searches = detail(detail(usage, "server_tool_use"), name)
    ?? detail(detail(usage, "prompt_tokens_details"), name)
  return countOf(searches, name, unusable)
}

/** A cost of a gateway that writes 0 for a model whose price it does not know. */
export const knownCost = (costUsd: number | null, outputTokens: number | null): number | null =>
  costUsd === 0 && outputTokens !== 0 ? null : costUsd

/** The first of several spellings of a field that the row has. */
export const firstOf = (row: Row, ...names: ReadonlyArray<string>): unknown => {
  for (const name of names) {
    const value = row[name]
    if (value !== undefined && value !== null && value !== "") return value
  }
  return undefined
}
