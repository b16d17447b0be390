/* Excludes models whose context window or longest answer is too small for a task. */
import type { RecommendWarning } from "../../../domain/Warning.ts"
import type { TaskInput } from "../../../domain/Task.ts"
import { outputFactor, inputTokens, plainOutputTokens } from "../cost/ListCost.ts"
import type { Classified } from "./Candidate.ts"
import { type Pool, type PoolRule, restricted } from "./Pool.ts"

interface ExpectedTokens {
  readonly input: number
  readonly output: number
}

/** The lowest limits among a pool's models, tokens, and the highest output factor of a variant. */
interface Tightest {
  readonly window: number
  readonly answer: number
  readonly factor: number
}

const tightestOf = new WeakMap<Pool, Tightest>()

const tightest = (settings: PoolRule, pool: Pool): Tightest => {
  const known = tightestOf.get(pool)
  if (known !== undefined) return known
  const { cards } = pool.rows
  const made = {
    window: Math.min(...cards.map(({ contextWindow }) => contextWindow)),
    answer: Math.min(...cards.map(({ maxOutputTokens }) => maxOutputTokens ?? Infinity)),
    factor: Math.max(...cards.map((card) => outputFactor(settings, card)))
  }
  tightestOf.set(pool, made)
  return made
}

/** Input and output must fit into the context window, and output into the longest allowed answer. */
const fits = ({ input, output }: ExpectedTokens, window: number, answer: number, factor: number): boolean =>
  input + output * factor <= window && output * factor <= answer

/**
 * If no model has enough capacity, returns the whole pool with a warning. For an agent's run, no model is
 * excluded, because the size of the run's calls is not known.
 */
export const withinCapacity = (
  settings: PoolRule,
  pool: Pool,
  task: TaskInput,
  classified: Classified
): { readonly pool: Pool; readonly notes: ReadonlyArray<RecommendWarning> } => {
  if (task.unit === "run") return { pool, notes: [] }
  const expected = {
    input: inputTokens(settings, task, classified), output: plainOutputTokens(settings, task, classified)
  }
  const { answer, factor, window } = tightest(settings, pool)
  if (fits(expected, window, answer, factor)) return { pool, notes: [] }
  const able = restricted(settings, pool, (card) =>
    fits(expected, card.contextWindow, card.maxOutputTokens ?? Infinity, outputFactor(settings, card)))
  return able.members.length > 0 || pool.members.length === 0
    ? { pool: able, notes: [] }
    : { pool, notes: ["no_model_within_capacity"] }
}
