/** The reliability of a memory entry from its votes, and the fading of an old belief. */

/** Votes for and against a memory entry, >= 0; fractions are allowed. */
interface Votes {
  readonly up: number
  readonly down: number
}

/**
 * A memory entry's reliability: the share of votes for it, shrunk toward a prior, in [0, 1].
 *
 * @param prior `mean` in [0, 1], worth `weight` > 0 votes
 */
export const reliability = (
  votes: Votes,
  prior: { readonly mean: number; readonly weight: number }
): number =>
  (prior.weight * prior.mean + votes.up) / (prior.weight + votes.up + votes.down)

/**
 * In each half-life without support, a belief moves half of the way to 0.5 (no knowledge).
 *
 * @param ageDays days since the last support, >= 0
 */
export const aged = (belief: number, ageDays: number, halfLifeDays: number): number =>
  0.5 + (belief - 0.5) * 2 ** (-ageDays / halfLifeDays)
