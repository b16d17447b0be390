/**
 * The order of attempts at one task that is worth most: the next attempt runs only where all before it were
 * rejected. Depth first over at most four attempts, on the grid of `TaskDifficulty`.
 */
import { type Curve, type GateErrors, meanUnder } from "./TaskDifficulty.ts"

/** A model that may make an attempt. */
export interface PlanOption {
  /** Its success at each point of the grid, in its first and in each further run within the plan. */
  readonly first: Curve
  readonly again: Curve
  /** What an attempt costs with its check, in the unit of the goal's `value`; >= 0. */
  readonly cost: number
  /** What it counts for against `totalPriceMax`. */
  readonly price: number
}

/** What a plan is to reach. */
export interface PlanGoal {
  /**
   * What a right result is worth, in the costs' unit: the plan maximises value less expected cost. Null: it
   * reaches the threshold at the least expected cost, or else the highest success there is.
   */
  readonly value: number | null
  /** Probability that the plan is to reach, in [0, 1]; read without a value. */
  readonly threshold: number
  /** Most attempts, 1 to 4, and most that the prices of all of them may add up to; null for no such limit. */
  readonly attemptsMax: number
  readonly totalPriceMax: number | null
  /** The option that makes the first attempt; null where the plan decides. */
  readonly first: number | null
}

/** Why a plan ends where it does. */
export type PlanEnd = "not_worth_it" | "threshold_reached" | "max_attempts" | "max_total_cost"

/** One attempt of a plan. */
export interface PlannedAttempt {
  readonly option: number
  /** Probability that it is made: that all before it are rejected. */
  readonly reached: number
  /** Probability that it succeeds, given that it is made. */
  readonly success: number
  /** Probability that some attempt up to this one is accepted and right. */
  readonly cumulativeSuccess: number
}

/** Attempts in their order; none where nothing is worth its cost or within the limit. */
export interface Plan {
  readonly attempts: ReadonlyArray<PlannedAttempt>
  readonly end: PlanEnd
}

/** Differences under this are rounding, so that the first of equal orders is taken. */
const rounding = 1e-12

/** The best order that was found. */
interface BestPlan {
  order: ReadonlyArray<number>
  success: number
  cost: number
}

/** Whether an order of this success and cost is better than the best until now. */
const isBetter = ({ threshold, value }: PlanGoal, success: number, cost: number, best: BestPlan): boolean => {
  if (value !== null) return value * success - cost > value * best.success - best.cost + rounding
  const [reaches, reached] = [success >= threshold, best.success >= threshold]
  if (reaches || reached) return reaches && (!reached || cost < best.cost - rounding)
  return success > best.success + rounding
    || (success > best.success - rounding && cost < best.cost - rounding)
}

/** Whether no order can be better that comes to this success at most, and to this cost at least. */
const isHopeless = (goal: PlanGoal, success: number, cost: number, best: BestPlan): boolean =>
  goal.value === null && best.success >= goal.threshold
    ? success < goal.threshold || cost >= best.cost - rounding
    : !isBetter(goal, success, cost, best)

/** Success of so many attempts at each point, if the best option there made all of them: a bound. */
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

/** Probability that the result of an attempt that succeeds with p is accepted, and that it is right too. */
const acceptedRight = ({ failRight }: GateErrors, p: number): number => p * (1 - failRight)
const rejected = ({ failRight, passWrong }: GateErrors, p: number): number =>
  p * failRight + (1 - p) * (1 - passWrong)

/** One attempt from these weights: what it adds to success, and the weights of those that are rejected. */
const attempt = (weights: Float64Array, curve: Curve, errors: GateErrors, into: Float64Array): number => {
  let success = 0
  for (let j = 0; j < weights.length; j++) {
    const [weight, p] = [weights[j]!, curve[j]!]
    success += weight * acceptedRight(errors, p)
    into[j] = weight * rejected(errors, p)
  }
  return success
}

const sumOf = (weights: Float64Array): number => {
  let sum = 0
  for (let j = 0; j < weights.length; j++) sum += weights[j]!
  return sum
}

/** The order of options that is best for the goal, by depth-first search with a bound. */
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

  /** Tries every option after the order so far, which `left` of 1 reaches the end of. */
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

/** Why the order ends: what one more attempt would lack. */
const endOf = (found: BestPlan, options: ReadonlyArray<PlanOption>, goal: PlanGoal): PlanEnd => {
  if (goal.value === null && found.success >= goal.threshold) return "threshold_reached"
  if (found.order.length >= goal.attemptsMax) return "max_attempts"
  const spent = found.order.reduce((sum, i) => sum + options[i]!.price, 0)
  const isSpent = goal.totalPriceMax !== null
    && options.every(({ price }) => spent + price > goal.totalPriceMax!)
  return isSpent ? "max_total_cost" : "not_worth_it"
}

/**
 * The plan that is worth most.
 *
 * @param weights of the grid after what was attempted, of sum 1
 * @param errors of the check that accepts or rejects an attempt
 */
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
 * The options that may stand in a plan, by index in their order: those that no cheaper one surpasses, then
 * those that only these do, and so on, until there are `count`. A surpassed option may still be the best
 * second attempt.
 *
 * @param success prediction of each option, and `cost` its cost
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
    // Of a front that is too long the cheapest and the best, and those between at even distances.
    const room = Math.min(front.length, count - kept.length)
    for (let k = 0; k < room; k++) {
      kept.push(front[room === 1 ? front.length - 1 : Math.round(k * (front.length - 1) / (room - 1))]!)
    }
    open = open.filter((i) => !front.includes(i))
  }
  return kept.sort((a, b) => a - b)
}
