/* The successors of retired models as a table. */
import { mean, meanAndError } from "./averages.ts"
import type { RetireReport } from "./retire.ts"
import { aligned, fixed } from "./table.ts"

/** Standard errors on each side of a mean that make a 95 % interval. */
const normal975 = 1.96

/** "0.012 (0.004 to 0.020)": the mean over seeds and its 95 % interval. */
const withInterval = (all: ReadonlyArray<number>): string => {
  const { error, mean: centre } = meanAndError(all)
  const within = normal975 * error
  return `${fixed(centre, 4)} (${fixed(centre - within, 4)} to ${fixed(centre + within, 4)})`
}

/** "gpt-4o 7, o1-mini 3" */
const counts = (names: ReadonlyArray<string>): string =>
  [...Map.groupBy(names, (name) => name)].toSorted(([, one], [, other]) => other.length - one.length)
    .slice(0, 3).map(([name, own]) => `${name} ${own.length}`).join(", ")

const present = <A>(all: ReadonlyArray<A | null>): ReadonlyArray<A> => all.flatMap((each) => each ?? [])

/** One row for each set and slider, and one of all. */
export const retireTable = (reports: ReadonlyArray<RetireReport>): string => {
  const rowOf = (title: string, own: ReadonlyArray<RetireReport>, isOne: boolean): ReadonlyArray<string> => [
    title,
    isOne ? own[0]?.retired ?? "" : "",
    isOne ? counts(own.map(({ best }) => best)) : "",
    isOne ? counts(present(own.map(({ named }) => named))) : "",
    `${present(own.map(({ named }) => named)).length}/${own.length}`,
    withInterval(present(own.map(({ regret }) => regret))),
    fixed(mean(own.map(({ regretByLot }) => regretByLot)), 4),
    fixed(mean(present(own.map(({ costRatio }) => costRatio))), 2),
    fixed(mean(present(own.map(({ holds }) => holds)).map(Number)), 2)
  ]
  const bySet = Map.groupBy(reports, ({ set, slider }) => `${set} at ${slider}`)
  return aligned([
    ["set", "retired", "best remaining", "named", "named/seeds", "regret (95 %)", "by lot", "cost/best", "holds"],
    ...[...bySet].map(([title, own]) => rowOf(title, own, true)),
    rowOf("all", reports, false)
  ])
}
