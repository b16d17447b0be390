/** How often a memory entry helped and how often it misled; fractions allowed, both >= 0. */
export interface Votes {
  readonly up: number
  readonly down: number
}

/**
 * How far an entry is to be trusted, in [0, 1]: its share of good votes, shrunk toward a prior.
 *
 * @param prior `mean` in [0, 1], worth `weight` > 0 votes
 */
export const reliability = (
  votes: Votes,
  prior: { readonly mean: number; readonly weight: number }
): number =>
  (prior.weight * prior.mean + votes.up) / (prior.weight + votes.up + votes.down)
