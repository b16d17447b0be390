/* The report of a soak: growth per ten minutes, and promises that were broken. */
import { type Kind, kinds } from "./asks.ts"
import { fixed } from "../arena/table.ts"
import { quantiles, table } from "./figures.ts"
import type { Inside } from "./inside.ts"
import { leastSquares } from "./slope.ts"
import type { Loaded } from "./tally.ts"

/** A look from beside the service. */
export interface Beside {
  readonly kind: "beside"
  readonly atMs: number
  /** Of the service to PostgreSQL. */
  readonly connections: number
}

/** What the ledger holds that was written since the load began. */
export interface Kept {
  readonly decisions: number
  readonly feedbacks: number
}

export interface Soaked {
  readonly perSecond: number
  readonly seconds: number
  /** From here on memory is looked at, epoch ms; and until there. */
  readonly settledAtMs: number
  readonly endedAtMs: number
  readonly loaded: Loaded
  readonly insides: ReadonlyArray<Inside>
  readonly besides: ReadonlyArray<Beside>
  readonly kept: Kept
}

const megabyte = 1_048_576
const tenMinutesMs = 600_000

interface Grown {
  readonly atMs: number
  readonly bytes: number
}

/** First and last value in MB and the slope in MB per 10 minutes. */
const growthRow = (name: string, grown: ReadonlyArray<Grown>): ReadonlyArray<string> => {
  const points = grown.map(({ atMs, bytes }) => ({ x: atMs / tenMinutesMs, y: bytes / megabyte }))
  const { error, slope } = leastSquares(points)
  return [
    name, String(points.length), fixed(points[0]?.y ?? null, 1), fixed(points.at(-1)?.y ?? null, 1),
    fixed(slope, 2), fixed(error, 2)
  ]
}

const growthTable = ({ endedAtMs, insides, settledAtMs }: Soaked): string => {
  const settled = insides.filter(({ atMs }) => atMs >= settledAtMs && atMs <= endedAtMs)
  const collected = settled.flatMap((each) =>
    each.collected === null ? [] : [{ atMs: each.atMs, ...each.collected }])
  const heap = collected.map(({ atMs, heapBytes: bytes }) => ({ atMs, bytes }))
  const external = collected.map(({ atMs, externalBytes: bytes }) => ({ atMs, bytes }))
  return table(["memory", "samples", "first MB", "last MB", "MB per 10 min", "standard error"], [
    growthRow("heap after collection", heap),
    growthRow("external after collection", external),
    growthRow("resident", settled.map(({ atMs, rssBytes: bytes }) => ({ atMs, bytes })))
  ])
}

const delayTable = ({ endedAtMs, insides, settledAtMs }: Soaked): string => {
  const settled = insides.filter(({ atMs }) => atMs > settledAtMs && atMs <= endedAtMs)
  const whole = settled.findLast(({ wholeDelayMs }) => wholeDelayMs !== null)?.wholeDelayMs
  const worst = settled.toSorted((one, other) => other.delayMs.p99 - one.delayMs.p99)[0]?.delayMs
  const longest = Math.max(0, ...settled.map(({ delayMs }) => delayMs.max))
  const collections = settled.flatMap(({ collected }) => collected === null ? [] : [collected.collectionMs])
  const ms = (delay: number | undefined) => fixed(delay ?? null, 1)
  return table(["event loop's delay", "p50 ms", "p99 ms", "max ms"], [
    ["whole run", ms(whole?.p50), ms(whole?.p99), ms(longest)],
    ["its worst sample", ms(worst?.p50), ms(worst?.p99), ms(worst?.max)],
    ["our collections", "", "", ms(Math.max(0, ...collections))]
  ])
}

const resourcesOf = ({ resources }: Inside): string =>
  Object.entries(resources).map(([name, count]) => `${name} ${count}`).join(", ")

const handleTable = ({ besides, endedAtMs, insides, settledAtMs }: Soaked): string => {
  const during = insides.filter(({ atMs }) => atMs >= settledAtMs && atMs <= endedAtMs)
  const moments = [
    ["before the load", insides[0]], ["settled", during[0]],
    ["at its end", during.at(-1)], ["after it", insides.at(-1)]
  ] as const
  return table(["handles", "descriptors", "connections", "resources"], moments.map(([name, inside]) => {
    if (inside === undefined) return [name]
    const beside = besides.findLast(({ atMs }) => atMs <= inside.atMs) ?? besides[0]
    return [name, fixed(inside.descriptors, 0), fixed(beside?.connections ?? null, 0), resourcesOf(inside)]
  }))
}

/** A sixth of a 30 minutes' run is the time that it settles in. */
const part = 6

const latencyTable = ({ loaded: { latenciesMs } }: Soaked): string => {
  const row = (name: string, values: ReadonlyArray<number>) =>
    [name, String(values.length), ...quantiles(values, [0.5, 0.9, 0.99, 0.999, 1]).map((ms) => ms.toFixed(1))]
  const sixth = Math.floor(latenciesMs.recommend.length / part)
  return table(["since due", "answers", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "max ms"], [
    ...kinds.map((kind: Kind) => row(kind, latenciesMs[kind])),
    row("recommend, first sixth", latenciesMs.recommend.slice(0, sixth)),
    row("recommend, last sixth", latenciesMs.recommend.slice(-sixth))
  ])
}

/** What must not be: broken promises, not slowness. */
export const faultsOf = ({ kept, loaded }: Soaked): ReadonlyArray<string> => {
  const { accepted, statuses, unanswered, unsure, written } = loaded
  // A refused caller cannot know whether its report was counted: a retry is safe, and the mix makes none.
  const isKept = accepted <= kept.feedbacks && kept.feedbacks <= accepted + unsure
  const failures = Object.entries(statuses).filter(([status]) => !["200", "429", "503"].includes(status))
  return [
    ...failures.map(([status, count]) => `${count} answers with ${status}: ${loaded.complaint}`),
    ...(unanswered > 0 ? [`${unanswered} requests without an answer`] : []),
    ...(isKept ? [] : [`${accepted} feedbacks acknowledged, ${kept.feedbacks} in the ledger`]),
    ...(written > kept.decisions
      ? [`${written} decisions said to be written, ${kept.decisions} in the ledger`]
      : [])
  ]
}

export const soakReport = (soaked: Soaked): string => {
  const { kept, loaded, perSecond } = soaked
  const { accepted, decided, degraded, seconds, statuses, unanswered, unsure } = loaded
  const refused = (statuses[429] ?? 0) + (statuses[503] ?? 0)
  const faults = faultsOf(soaked)
  return [
    growthTable(soaked), delayTable(soaked), handleTable(soaked), latencyTable(soaked),
    `${perSecond}/s offered, ${((statuses[200] ?? 0) / seconds).toFixed(1)}/s answered with 200, `
    + `refused ${refused}, unanswered ${unanswered}, degraded ${degraded}\n`
    + `decisions: ${decided} answered, ${kept.decisions} in the ledger; `
    + `feedback: ${accepted} acknowledged, ${unsure} refused, ${kept.feedbacks} in the ledger`,
    faults.length === 0 ? "No failure, nothing lost" : faults.join("\n")
  ].join("\n\n")
}
