import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as AttemptPlan from "../../src/stats/AttemptPlan.ts"
import * as TaskDifficulty from "../../src/stats/TaskDifficulty.ts"

const within = (minimum: number, maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }))
const Model = Schema.Tuple([within(0.05, 0.98), within(0.001, 2)])
const Models = Schema.Array(Model).check(Schema.isMinLength(1), Schema.isMaxLength(4))
const Plans = {
  models: Models, spread: within(0, 2.5), threshold: within(0, 1), value: within(0.01, 20),
  attemptsMax: Schema.Literals([1, 2, 3]), passWrong: within(0, 0.3), failRight: within(0, 0.3)
}

const exact = { passWrong: 0, failRight: 0 }
const goal: AttemptPlan.PlanGoal = { value: null, threshold: 0.9, attemptsMax: 3, totalPriceMax: null, first: null }
const third = 1 / 3

const optionsOf = (
  models: ReadonlyArray<readonly [success: number, cost: number]>,
  spread: number
): ReadonlyArray<AttemptPlan.PlanOption> =>
  models.map(([success, cost]) => {
    const first = TaskDifficulty.curveOf(success, spread)
    return { first, again: first.map((p) => third * p), cost, price: cost }
  })

const planned = (
  models: ReadonlyArray<readonly [success: number, cost: number]>,
  over: Partial<AttemptPlan.PlanGoal>,
  spread = 0,
  errors: TaskDifficulty.GateErrors = exact
) => AttemptPlan.planOf(TaskDifficulty.unjudged, optionsOf(models, spread), { ...goal, ...over }, errors)

const orderOf = ({ attempts }: AttemptPlan.Plan) => attempts.map(({ option }) => option)
const last = (plan: AttemptPlan.Plan, models: ReadonlyArray<readonly [success: number, cost: number]>) => ({
  success: plan.attempts.at(-1)?.cumulativeSuccess ?? 0,
  cost: plan.attempts.reduce((sum, { option, reached }) => sum + reached * models[option]![1], 0)
})

/** Every order of so many attempts at most, and what it comes to. */
const allOrders = (count: number, attemptsMax: number): ReadonlyArray<ReadonlyArray<number>> => {
  if (attemptsMax === 0) return [[]]
  const shorter = allOrders(count, attemptsMax - 1)
  const longest = shorter.filter((order) => order.length === attemptsMax - 1)
  return [...shorter, ...longest.flatMap((order) => Array.from({ length: count }, (_, i) => [...order, i]))]
}

const cameTo = (
  order: ReadonlyArray<number>,
  options: ReadonlyArray<AttemptPlan.PlanOption>,
  { failRight, passWrong }: TaskDifficulty.GateErrors
) => {
  let weights = TaskDifficulty.unjudged
  let [success, cost] = [0, 0]
  order.forEach((i, k) => {
    const { again, first, cost: each } = options[i]!
    const curve = order.indexOf(i) < k ? again : first
    cost += weights.reduce((sum, weight) => sum + weight, 0) * each
    success += weights.reduce((sum, weight, j) => sum + weight * curve[j]! * (1 - failRight), 0)
    weights = weights.map((weight, j) => weight * (curve[j]! * failRight + (1 - curve[j]!) * (1 - passWrong)))
  })
  return { success, cost }
}

it("a cheap model first, the best on failure: .92 for $0.36 where the best alone is .8 at $0.8", () => {
  const models = [[0.6, 0.04], [0.8, 0.8]] as const
  const plan = planned(models, { value: 5, attemptsMax: 2 })
  assert.deepStrictEqual(orderOf(plan), [0, 1])
  assert.closeTo(last(plan, models).success, 0.6 + 0.4 * 0.8, 1e-9)
  assert.closeTo(last(plan, models).cost, 0.04 + 0.4 * 0.8, 1e-9)
  assert.strictEqual(plan.end, "max_attempts")
})

it("a failure that the models share lowers a second attempt's worth, until it is not made", () => {
  const models = [[0.7, 0.04], [0.75, 1]] as const
  assert.deepStrictEqual(orderOf(planned(models, { value: 2.2, attemptsMax: 2 }, 0)), [0, 1])
  const shared = planned(models, { value: 2.2, attemptsMax: 2 }, 2.5)
  assert.deepStrictEqual(orderOf(shared), [0, 0])
  assert.isBelow(shared.attempts[1]!.success, 0.25)
})

it("nothing is planned where no attempt is worth its cost", () => {
  const plan = planned([[0.7, 1], [0.9, 2]], { value: 0.5 })
  assert.deepStrictEqual(plan, { attempts: [], end: "not_worth_it" })
})

it("a threshold is reached for the least cost, by a repeat of a cheap model where that helps", () => {
  const plan = planned([[0.6, 0.01], [0.7, 0.05], [0.95, 1]], { threshold: 0.9 })
  assert.deepStrictEqual(orderOf(plan), [0, 0, 1])
  assert.strictEqual(plan.end, "threshold_reached")
})

it("a threshold that nothing reaches gives the most success there is", () => {
  const plan = planned([[0.3, 0.1], [0.2, 0.01]], { threshold: 0.99, attemptsMax: 2 })
  assert.deepStrictEqual(orderOf(plan), [1, 0])
  assert.strictEqual(plan.end, "max_attempts")
})

it("a limit on the cost of all attempts leaves out what would pass it", () => {
  const models = [[0.6, 0.04], [0.8, 0.8]] as const
  const plan = planned(models, { value: 5, totalPriceMax: 0.1 })
  assert.deepStrictEqual(orderOf(plan), [0, 0])
  assert.strictEqual(plan.end, "max_total_cost")
  assert.deepStrictEqual(planned(models, { value: 5, totalPriceMax: 0.01 }).attempts, [])
})

it("a check that passes wrong results ends plans early, so a better model goes first", () => {
  const models = [[0.3, 0.01], [0.9, 0.2]] as const
  const of = (passWrong: number) => orderOf(planned(models, { value: 3 }, 0, { passWrong, failRight: 0 }))[0]
  assert.strictEqual(of(0), 0)
  assert.strictEqual(of(0.3), 1)
})

it("a first attempt that is given stays the first, and what follows is the best after it", () => {
  const models = [[0.6, 0.04], [0.8, 0.8]] as const
  assert.deepStrictEqual(orderOf(planned(models, { value: 5, first: 1, attemptsMax: 2 })), [1, 0])
})

it.prop("no other order is worth more, or reaches the threshold for less", Plans, (given) => {
  const { attemptsMax, failRight, models, passWrong, spread, threshold, value } = given
  const errors = { passWrong, failRight }
  const options = optionsOf(models, spread)
  const orders = allOrders(models.length, attemptsMax).map((order) => cameTo(order, options, errors))
  const best = last(planned(models, { value, attemptsMax }, spread, errors), models)
  const worth = Math.max(...orders.map(({ cost, success }) => value * success - cost))
  assert.closeTo(value * best.success - best.cost, worth, 1e-9)
  const least = last(planned(models, { threshold, attemptsMax }, spread, errors), models)
  const reaching = orders.filter(({ success }) => success >= threshold - 1e-9)
  if (reaching.length > 0 && least.success >= threshold) {
    assert.isAtMost(least.cost, Math.min(...reaching.filter((each) => each.success >= threshold)
      .map(({ cost }) => cost)) + 1e-9)
  } else assert.closeTo(least.success, Math.max(...orders.map(({ success }) => success)), 1e-9)
})

it.prop("what a plan says of its attempts adds up", Plans, ({ attemptsMax, models, spread, value }) => {
  const { attempts } = planned(models, { value, attemptsMax }, spread)
  let left = 1
  for (const { cumulativeSuccess, reached, success } of attempts) {
    assert.closeTo(reached, left, 1e-9)
    left *= 1 - success
    assert.closeTo(cumulativeSuccess, 1 - left, 1e-9)
  }
})

it.prop("more attempts, money or value never make a plan worse", Plans, ({ models, spread, value }) => {
  const worth = (over: Partial<AttemptPlan.PlanGoal>) => {
    const { cost, success } = last(planned(models, { value, ...over }, spread), models)
    return value * success - cost
  }
  assert.isAtLeast(worth({ attemptsMax: 3 }), worth({ attemptsMax: 2 }) - 1e-9)
  assert.isAtLeast(worth({}), worth({ totalPriceMax: 1 }) - 1e-9)
  assert.isAtLeast(last(planned(models, { value: 2 * value }, spread), models).success + 1e-9,
    last(planned(models, { value }, spread), models).success)
})

it("a short list keeps the cheapest and the best, and the best of those that others surpass", () => {
  const success = [0.5, 0.9, 0.6, 0.55, 0.4]
  const cost = [0.01, 1, 0.05, 0.06, 0.9]
  assert.deepStrictEqual(AttemptPlan.shortlist(success, cost, 4), [0, 1, 2, 3])
  assert.deepStrictEqual(AttemptPlan.shortlist(success, cost, 2), [0, 1])
  assert.deepStrictEqual(AttemptPlan.shortlist(success, cost, 9), [0, 1, 2, 3, 4])
})
