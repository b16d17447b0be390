/** The reliability of a memory entry, and the aging of a belief. */

/** Votes for and against a memory entry, >= 0; fractions are allowed. */
interface Votes {
  readonly up: number
  readonly down: number
}

/**
 * Reliability of an entry, in [0, 1]: its share of good votes, shrunk toward a prior.
 *
 * @param prior `mean` in [0, 1], worth `weight` > 0 votes
 */
export const reliability = (
  votes: Votes,
  prior: { readonly mean: number; readonly weight: number }
): number =>
  (prior.weight * prior.mean + votes.up) / (prior.weight + votes.up + votes.down)

/**
 * A belief after `ageDays` without support: in each half-life it moves half of the way to 0.5, no knowledge.
 *
 * @param belief in [0, 1]
 * @param ageDays days since the last support, >= 0
 * @param halfLifeDays > 0
 */
export const aged = (belief: number, ageDays: number, halfLifeDays: number): number =>
  0.5 + (belief - 0.5) * 2 ** (-ageDays / halfLifeDays)
