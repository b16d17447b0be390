/** The model that a conversation runs on. */
import { cacheIdOf } from "../../catalog/Offerings.ts"
import type { CostedCandidate } from "../recommend/candidates/Candidate.ts"

/** The incumbent of a request. */
export interface Incumbent {
  /** Variants share a prompt cache, and an offering has its own. */
  readonly cacheId: string
  /** Least predicted success at which it may be kept, in [0, 1]. */
  readonly qualityMin: number
}

/** Whether a candidate is the incumbent, in any variant. */
export const isIncumbent = ({ card }: Pick<CostedCandidate, "card">, { cacheId }: Incumbent): boolean =>
  cacheIdOf(card) === cacheId
