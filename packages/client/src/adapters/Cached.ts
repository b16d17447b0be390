/* Input tokens as a report has them: cached ones included, however a provider's library counts. */
import { known } from "../Usage.ts"

/** The input tokens of a call, with the cached ones where these were counted beside the input. */
export const inputWithCached = (input: unknown, cached: unknown): number | undefined => {
  if (!known(input)) return undefined
  return known(cached) && cached > input ? input + cached : input
}
