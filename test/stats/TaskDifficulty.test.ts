import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as TaskDifficulty from "../../src/stats/TaskDifficulty.ts"

const within = (minimum: number, maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }))
const Success = within(0.001, 0.999)
const Spread = within(0, 3)
const Share = within(0, 1)
const Attempt = Schema.Struct({
  model: Schema.Literals([0, 1, 2]),
  passed: Schema.Boolean,
  passWrong: within(0, 0.5),
  failRight: within(0, 0.5)
})
const Attempts = Schema.Array(Attempt).check(Schema.isMaxLength(6))
const Task = { successes: Schema.Tuple([Success, Success, Success]), spread: Spread, attempts: Attempts }
type Task = {
  readonly successes: readonly [number, number, number]
  readonly spread: number
  readonly attempts: ReadonlyArray<TaskDifficulty.JudgedAttempt>
}

const third = 1 / 3
const exact = { passWrong: 0, failRight: 0 }
const failed = (model: number): TaskDifficulty.JudgedAttempt => ({ model, passed: false, ...exact })

/** What is predicted of each model's next run after the attempts. */
const predictions = ({ attempts, spread, successes }: Task, repeatShare = third): ReadonlyArray<number> => {
  const curves = successes.map((success) => TaskDifficulty.curveOf(success, spread))
  const weights = TaskDifficulty.after(attempts, curves, repeatShare)
  return curves.map((curve, model) =>
    TaskDifficulty.meanUnder(weights, TaskDifficulty.nextRun(curve, attempts, model, repeatShare)))
}

it("once a model at .762 failed, one as good is at .567 and one at .956 at .899", () => {
  const task = { successes: [0.762, 0.762, 0.956], spread: 1.5, attempts: [failed(0)] } as const
  assert.closeTo(predictions(task)[1]!, 0.567, 5e-4)
  assert.closeTo(predictions(task)[2]!, 0.899, 5e-4)
})

it("a repeat that runs anew every third time is a third as likely after a failure", () => {
  const task = { successes: [0.6, 0.6, 0.6], spread: 0, attempts: [failed(0)] } as const
  assert.closeTo(predictions(task)[0]!, 0.2, 1e-9)
  assert.closeTo(predictions(task)[1]!, 0.6, 1e-9)
})

it("a model's second failure says a third at most of a failure of another as good", () => {
  const task = { successes: [0.7, 0.7, 0.9], spread: 1.2 } as const
  const of = (...models: ReadonlyArray<number>) => predictions({ ...task, attempts: models.map(failed) })[2]!
  assert.isBelow(of(0, 0), of(0))
  assert.isAtMost((of(0) - of(0, 0)) / (of(0) - of(0, 1)), third)
})

it("a judge that is right half of the time says nothing", () => {
  const task = { successes: [0.7, 0.7, 0.9], spread: 1.2 } as const
  const coin = [{ model: 0, passed: false, passWrong: 0.5, failRight: 0.5 }]
  assert.closeTo(predictions({ ...task, attempts: coin })[2]!, 0.9, 1e-9)
})

it.prop("without attempts every prediction stays what it is", { success: Success, spread: Spread },
  ({ spread, success }) => {
    const [own] = predictions({ successes: [success, 0.5, 0.5], spread, attempts: [] })
    assert.closeTo(own!, success, 1e-9)
  })

it.prop("without spread what other models came to changes nothing", Task, (task) => {
  const others = task.attempts.filter(({ model }) => model !== 2)
  const [, , own] = predictions({ ...task, spread: 0, attempts: others })
  assert.closeTo(own!, task.successes[2], 1e-9)
})

it.prop("a failure never raises a prediction, and a pass never lowers one", { ...Task, attempt: Attempt },
  ({ attempt, ...task }) => {
    const before = predictions(task)
    const now = (passed: boolean) =>
      predictions({ ...task, attempts: [...task.attempts, { ...attempt, passed }] })
    now(false).forEach((each, model) => assert.isAtMost(each, before[model]! + 1e-9))
    now(true).forEach((each, model) => assert.isAtLeast(each, before[model]! - 1e-9))
  })

it.prop("the order of attempts does not matter", { ...Task, turn: Share }, ({ turn, ...task }) => {
  const at = Math.floor(turn * task.attempts.length)
  const turned = [...task.attempts.slice(at), ...task.attempts.slice(0, at)]
  const ordered = predictions(task)
  for (const attempts of [turned, turned.toReversed()]) {
    predictions({ ...task, attempts }).forEach((each, model) => assert.closeTo(each, ordered[model]!, 1e-9))
  }
})

it.prop("outcomes of escalations alone leave a model's success where it is, at its true value",
  { success: Success, given: Success },
  ({ given, success }) => {
    const pass = TaskDifficulty.taughtWeight(success, given, 1)
    const fail = TaskDifficulty.taughtWeight(success, given, 0)
    assert.closeTo(given * pass * (1 - success) - (1 - given) * fail * success, 0, 1e-9)
    assert.isTrue(pass > 0 && pass <= 1 && fail > 0 && fail <= 1)
  })

it("a failure on an even task weighs a quarter for a model at .8, and a pass is whole", () => {
  assert.closeTo(TaskDifficulty.taughtWeight(0.8, 0.5, 0), 0.25, 1e-9)
  assert.strictEqual(TaskDifficulty.taughtWeight(0.8, 0.5, 1), 1)
  assert.strictEqual(TaskDifficulty.taughtWeight(0.8, 0.8, 0), 1)
})

it.prop("predictions are probabilities whatever was reported", { ...Task, share: Share }, (given) => {
  const { share, ...task } = given
  for (const each of predictions(task, share)) assert.isTrue(each >= 0 && each <= 1)
})
