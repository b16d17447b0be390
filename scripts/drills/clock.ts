/*
 * Drill of wrong clocks and passing time, on a PostgreSQL of its own whose clock it sets (Debian's `faketime`):
 * `npm run drill:clock -- --jumps 20 --days 900 --step-days 10 --seed 1`.
 */
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { generator } from "../../src/stats/Generator.ts"
import { clockedCluster, copiesApart, machineJumps, timeGoesBy } from "../../test/cluster/clock.ts"
import { hasFakeTime } from "../../test/support/FakeTime.ts"
import { findBinaries } from "../../test/support/PostgresCluster.ts"
import { table } from "../bench/harness/figures.ts"

const { values } = parseArgs({
  options: {
    jumps: { type: "string", default: "20" },
    days: { type: "string", default: "900" },
    "step-days": { type: "string", default: "10" },
    seed: { type: "string", default: "1" }
  }
})
const jumps = Number(values.jumps)
const days = Number(values.days)
const stepDays = Number(values["step-days"])

const uniform = generator(Number(values.seed))
/** Steps between an hour and three years, ahead and behind by turns; the same for the same seed. */
const drawn = Array.from({ length: jumps }, (_, i) => {
  const size = Math.exp(Math.log(1 / 24) + uniform() * Math.log(1_100 * 24))
  return i % 2 === 0 ? size : -size
})

const counts = (title: string, rows: Readonly<Record<string, number>>) =>
  Effect.sync(() => console.log(
    `${title}\n\n${table(["what", "count"], Object.entries(rows).map(([what, n]) => [what, String(n)]))}\n`
  ))

const failed = (isFailed: boolean) => Effect.sync(() => {
  if (isFailed) process.exitCode = 1
})

const drill = Effect.gen(function*() {
  if (findBinaries() === null || !hasFakeTime) return yield* Effect.fail(new Error("PostgreSQL or faketime is missing"))
  yield* Effect.scoped(Effect.gen(function*() {
    const { decisions, dropped, early, overdue, refused, ...passed } = yield* timeGoesBy(
      yield* clockedCluster, { days, stepDays })
    yield* counts(`${passed.days} days go by in steps of ${stepDays}, with decisions, feedback and a sweep at each`, {
      "decisions": decisions, "months dropped": dropped,
      "decisions gone before 400 days": early, "decisions there after 432 days": overdue, "sweeps refused": refused.length
    })
    yield* failed(early + overdue + refused.length > 0)
  }))
  yield* Effect.scoped(Effect.gen(function*() {
    const { acknowledged, lost, refusals, unaccepted } = yield* machineJumps(yield* clockedCluster, drawn)
    yield* counts(`The machine's clock, the database's with it, jumps ${jumps} times and back`, {
      "decisions acknowledged": acknowledged, "of these lost": lost, "sweeps refused": refusals,
      "feedback not accepted": unaccepted
    })
    yield* failed(lost + unaccepted > 0)
  }))
  yield* Effect.scoped(Effect.gen(function*() {
    const { url } = yield* clockedCluster
    const { acknowledged, disputed, lost, misdated } = yield* copiesApart(url, [0, ...drawn, 0])
    yield* counts(`${jumps + 2} copies, one after the other, whose clocks are off from the database's`, {
      "decisions acknowledged": acknowledged, "of these lost": lost, "dated more than a minute off": misdated,
      "feedback refused or called late": disputed
    })
    yield* failed(lost + misdated + disputed > 0)
  }))
})

await Effect.runPromise(drill)
