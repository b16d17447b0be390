/* The baseline that a decision named, as SQL. */

/**
 * Decisions that were made before the figures had it are looked up, one by one by their key, and only where
 * they declared one.
 *
 * @param figures the name of the rows of `decision_figures`
 */
export const declaredBaseline = (figures: string): string =>
  `coalesce(baseline_model_id, case when cost_declared_usd is not null then (
  select d.baseline_model_id from decision d where d.account_id = ${figures}.account_id
    and d.created_at = ${figures}.created_at and d.recommendation_id = ${figures}.recommendation_id) end)`
