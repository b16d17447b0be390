/**
 * The best order of attempts at one task: an attempt runs only if a check rejected all before it. The order
 * is searched depth first, on the grid of difficulties of `TaskDifficulty`.
 */
import { type Curve, type GateErrors, meanUnder } from "./TaskDifficulty.ts"

export interface PlanOption {
  /** Success at each difficulty: in the model's first run in the plan, and in each later run. */
  readonly first: Curve
  readonly again: Curve
  /** Cost of an attempt, in the unit of the goal's `value`, >= 0. */
  readonly cost: number
  /** Part of `totalPriceMax` that an attempt uses up. */
  readonly price: number
}

export interface PlanGoal {
  /**
   * Value of a right result, in the unit of the costs. If the value is null, the plan reaches the threshold
   * at the lowest expected cost, or has the highest success if no plan reaches the threshold.
   */
  readonly value: number | null
  /** Success that the plan should reach, in [0, 1]; ignored if there is a value. */
  readonly threshold: number
  /** Highest number of attempts, 1 to 4. */
  readonly attemptsMax: number
  /** Highest sum of the prices of all attempts; null if there is no limit. */
  readonly totalPriceMax: number | null
  /** Option of the first attempt; null if the planner chooses it. */
  readonly first: number | null
}

export type PlanEnd = "not_worth_it" | "threshold_reached" | "max_attempts" | "max_total_cost"

export interface PlannedAttempt {
  readonly option: number
  /** Probability that the attempt is made, because all attempts before it are rejected. */
  readonly reached: number
  /** Probability that the attempt succeeds, given that it is made. */
  readonly success: number
  /** Probability that this attempt or one before it is accepted and right. */
  readonly cumulativeSuccess: number
}

/** The list of attempts is empty if the limits allow no attempt, or if no plan is better than no attempt. */
export interface Plan {
  readonly attempts: ReadonlyArray<PlannedAttempt>
  readonly end: PlanEnd
}

/** Values, successes and costs of plans that differ by at most this rounding error count as equal. */
const rounding = 1e-12

interface BestPlan {
  order: ReadonlyArray<number>
  success: number
  cost: number
}

const isBetter = ({ threshold, value }: PlanGoal, success: number, cost: number, best: BestPlan): boolean => {
  if (value !== null) return value * success - cost > value * best.success - best.cost + rounding
  const [reaches, reached] = [success >= threshold, best.success >= threshold]
  if (reaches || reached) return reaches && (!reached || cost < best.cost - rounding)
  return success > best.success + rounding
    || (success > best.success - rounding && cost < best.cost - rounding)
}

/** Returns true if an order with at most `success` and at least `cost` cannot be better than `best`. */
const isHopeless = (goal: PlanGoal, success: number, cost: number, best: BestPlan): boolean =>
  goal.value === null && best.success >= goal.threshold
    ? success < goal.threshold || cost >= best.cost - rounding
    : !isBetter(goal, success, cost, best)

/** Upper bounds of success by number of attempts, if the best option at each difficulty makes them all. */
const ceilingsOf = (
  options: ReadonlyArray<PlanOption>,
  { failRight }: GateErrors,
  attemptsMax: number
): ReadonlyArray<Float64Array> => {
  const most = options.reduce(
    (highest, { first }) => highest.map((p, j) => Math.max(p, first[j]!)),
    new Float64Array(options[0]?.first.length ?? 0)
  )
  return Array.from({ length: attemptsMax }, (_, attempts) =>
    most.map((p) => 1 - (1 - p * (1 - failRight)) ** attempts))
}

/** Computes P(accepted and right), and writes to `into` the weights after a rejection. */
const attempt = (
  weights: Float64Array,
  curve: Curve,
  { failRight, passWrong }: GateErrors,
  into: Float64Array
): number => {
  let success = 0
  for (let j = 0; j < weights.length; j++) {
    const [weight, p] = [weights[j]!, curve[j]!]
    success += weight * (p * (1 - failRight))
    into[j] = weight * (p * failRight + (1 - p) * (1 - passWrong))
  }
  return success
}

const sumOf = (weights: Float64Array): number => {
  let sum = 0
  for (let j = 0; j < weights.length; j++) sum += weights[j]!
  return sum
}

const search = (
  weights: Float64Array,
  options: ReadonlyArray<PlanOption>,
  goal: PlanGoal,
  errors: GateErrors
): BestPlan => {
  const best: BestPlan = { order: [], success: 0, cost: 0 }
  const leastCost = options.reduce((least, { cost }) => Math.min(least, cost), Infinity)
  const ceilings = ceilingsOf(options, errors, goal.attemptsMax)
  const levels = Array.from({ length: goal.attemptsMax }, () => new Float64Array(weights.length))
  const order: Array<number> = []
  const total = goal.totalPriceMax ?? Infinity

  /** `left` is the probability that the plan makes this attempt. */
  const visit = (at: Float64Array, left: number, success: number, cost: number, spent: number): void => {
    const into = levels[order.length]!
    for (let i = 0; i < options.length; i++) {
      const option = options[i]!
      if (spent + option.price > total || (order.length === 0 && i !== (goal.first ?? i))) continue
      const reached = success + attempt(at, order.includes(i) ? option.again : option.first, errors, into)
      const paid = cost + left * option.cost
      order.push(i)
      if (isBetter(goal, reached, paid, best)) {
        best.order = [...order]
        best.success = reached
        best.cost = paid
      }
      if (order.length < goal.attemptsMax) {
        const remaining = sumOf(into)
        const most = reached + meanUnder(into, ceilings[goal.attemptsMax - order.length]!)
        if (!isHopeless(goal, most, paid + remaining * leastCost, best)) {
          visit(into, remaining, reached, paid, spent + option.price)
        }
      }
      order.pop()
    }
  }
  visit(weights, sumOf(weights), 0, 0, 0)
  return best
}

const endOf = (found: BestPlan, options: ReadonlyArray<PlanOption>, goal: PlanGoal): PlanEnd => {
  if (goal.value === null && found.success >= goal.threshold) return "threshold_reached"
  if (found.order.length >= goal.attemptsMax) return "max_attempts"
  const spent = found.order.reduce((sum, i) => sum + options[i]!.price, 0)
  const isSpent = goal.totalPriceMax !== null
    && options.every(({ price }) => spent + price > goal.totalPriceMax!)
  return isSpent ? "max_total_cost" : "not_worth_it"
}

/** @param weights probability of each point of the grid after earlier attempts; the probabilities sum to 1 */
export const planOf = (
  weights: Float64Array,
  options: ReadonlyArray<PlanOption>,
  goal: PlanGoal,
  errors: GateErrors
): Plan => {
  const found = search(weights, options, goal, errors)
  let at = weights
  let cumulativeSuccess = 0
  const attempts = found.order.map((option, k): PlannedAttempt => {
    const { again, first } = options[option]!
    const curve = found.order.indexOf(option) < k ? again : first
    const reached = Math.min(1, sumOf(at))
    const success = reached > 0 ? Math.min(1, meanUnder(at, curve) / reached) : 0
    const into = new Float64Array(at.length)
    cumulativeSuccess = Math.min(1, cumulativeSuccess + attempt(at, curve, errors, into))
    at = into
    return { option, reached, success, cumulativeSuccess }
  })
  return { attempts, end: endOf(found, options, goal) }
}

/**
 * Chooses at most `count` options, and returns their indices in ascending order. Each round takes, from the
 * options that are left, those with a higher success than every cheaper one. One round is not enough, because
 * the best second attempt may be an option that the first round left out.
 */
export const shortlist = (
  success: ReadonlyArray<number>,
  cost: ReadonlyArray<number>,
  count: number
): ReadonlyArray<number> => {
  if (success.length <= count) return success.map((_, i) => i)
  const byCost = (a: number, b: number) => cost[a]! - cost[b]! || success[b]! - success[a]! || a - b
  let open = success.map((_, i) => i).sort(byCost)
  const kept: Array<number> = []
  while (kept.length < count && open.length > 0) {
    let highest = -Infinity
    const front = open.filter((i) => {
      if (success[i]! <= highest) return false
      highest = success[i]!
      return true
    })
    // If there are too many options, some at even distances are taken; the best is always among them.
    const room = Math.min(front.length, count - kept.length)
    for (let k = 0; k < room; k++) {
      kept.push(front[room === 1 ? front.length - 1 : Math.round(k * (front.length - 1) / (room - 1))]!)
    }
    open = open.filter((i) => !front.includes(i))
  }
  return kept.sort((a, b) => a - b)
}
