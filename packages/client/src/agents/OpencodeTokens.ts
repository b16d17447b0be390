/* Reads a run's tokens from opencode's record of a message or a step. */
import type { Tokens } from "./Ask.ts"
import { countAt, type Fields, fieldsAt } from "./Json.ts"

/** The tokens of a record. opencode's input leaves out the cache, and its output leaves out reasoning. */
export const opencodeTokens = (message: Fields): Tokens => {
  const tokens = fieldsAt(message, "tokens")
  const cache = fieldsAt(tokens, "cache")
  const [cached, cacheWrite] = [countAt(cache, "read"), countAt(cache, "write")]
  const reasoning = countAt(tokens, "reasoning")
  return {
    cached, cacheWrite, input: countAt(tokens, "input") + cached + cacheWrite,
    output: countAt(tokens, "output") + reasoning, reasoning
  }
}
