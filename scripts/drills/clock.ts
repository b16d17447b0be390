/*
 * Drill of wrong clocks and passing time, on a PostgreSQL of its own whose clock it sets (Debian's `faketime`):
 * `npm run drill:clock -- --jumps 20 --days 900 --step-days 10 --seed 1`.
 */
import { Effect } from "effect"
import { clockedCluster, copiesApart, machineJumps, timeGoesBy } from "../../test/cluster/clock.ts"
import { hasFakeTime } from "../../test/support/FakeTime.ts"
import { findBinaries } from "../../test/support/PostgresCluster.ts"

const numberOf = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : Number(process.argv[at + 1])
}

const jumps = numberOf("jumps", 20)
const days = numberOf("days", 900)
const stepDays = numberOf("step-days", 10)

/** Steps between an hour and three years, ahead and behind by turns; the same for the same seed. */
const drawn = (() => {
  let state = numberOf("seed", 1)
  return Array.from({ length: jumps }, (_, i) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    const size = Math.exp(Math.log(1 / 24) + (state / 2 ** 31) * Math.log(1_100 * 24))
    return i % 2 === 0 ? size : -size
  })
})()

const table = (title: string, rows: Readonly<Record<string, number>>) =>
  Effect.sync(() => console.log([
    `## ${title}`, "", "| what | count |", "|---|---|",
    ...Object.entries(rows).map(([what, n]) => `| ${what} | ${n} |`), ""
  ].join("\n")))

const failed = (isFailed: boolean) => Effect.sync(() => {
  if (isFailed) process.exitCode = 1
})

const drill = Effect.gen(function*() {
  if (findBinaries() === null || !hasFakeTime) return yield* Effect.fail(new Error("PostgreSQL or faketime is missing"))
  yield* Effect.scoped(Effect.gen(function*() {
    const { decisions, dropped, early, overdue, refused, ...passed } = yield* timeGoesBy(
      yield* clockedCluster, { days, stepDays })
    yield* table(`${passed.days} days go by in steps of ${stepDays}, with decisions, feedback and a sweep at each`, {
      "decisions": decisions, "months dropped": dropped,
      "decisions gone before 400 days": early, "decisions there after 432 days": overdue, "sweeps refused": refused.length
    })
    yield* failed(early + overdue + refused.length > 0)
  }))
  yield* Effect.scoped(Effect.gen(function*() {
    const { acknowledged, lost, refusals, unaccepted } = yield* machineJumps(yield* clockedCluster, drawn)
    yield* table(`The machine's clock, the database's with it, jumps ${jumps} times and back`, {
      "decisions acknowledged": acknowledged, "of these lost": lost, "sweeps refused": refusals,
      "feedback not accepted": unaccepted
    })
    yield* failed(lost + unaccepted > 0)
  }))
  yield* Effect.scoped(Effect.gen(function*() {
    const { url } = yield* clockedCluster
    const { acknowledged, disputed, lost, misdated } = yield* copiesApart(url, [0, ...drawn, 0])
    yield* table(`${jumps + 2} copies, one after the other, whose clocks are off from the database's`, {
      "decisions acknowledged": acknowledged, "of these lost": lost, "dated more than a minute off": misdated,
      "feedback refused or called late": disputed
    })
    yield* failed(lost + misdated + disputed > 0)
  }))
})

await Effect.runPromise(drill)
