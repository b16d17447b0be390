/* Differences between two runs of a benchmark on the same seeds. */
import { readFileSync } from "node:fs"
import { mean, meanAndError } from "./averages.ts"
import { aligned, withError } from "./table.ts"

/** A report of a workload, or of a set in one order. */
interface Seeded {
  readonly seed: number
}

/** A figure's title, the figure, and its decimals. */
type Column<Report> = readonly [title: string, of: (report: Report) => number, digits: number]

/** The reports that earlier runs wrote with `--out`: comma-separated files, and the field that holds them. */
export const reportsIn = <Report extends Seeded>(
  files: string,
  field: "reports" | "sets"
): ReadonlyArray<Report> =>
  files.split(",").flatMap((file) => {
    const reports: unknown = JSON.parse(readFileSync(file, "utf8"))[field]
    if (!Array.isArray(reports)) throw new Error(`${file} has no ${field}: it is another benchmark's`)
    // The same benchmark wrote them.
    return reports as ReadonlyArray<Report>
  })

/**
 * Mean difference of a figure to the earlier reports, and its standard error. It is over the seeds that both have for
 * all names, and averages the names of a seed first.
 */
export const pairedDifference = <Report extends Seeded>(
  reports: ReadonlyArray<Report>,
  earlier: ReadonlyArray<Report>,
  { nameOf, names, of }: {
    readonly nameOf: (report: Report) => string
    readonly names: ReadonlyArray<string>
    readonly of: (report: Report) => number
  }
): { readonly mean: number; readonly error: number; readonly seeds: number } => {
  const figureOf = (all: ReadonlyArray<Report>) =>
    new Map(all.map((report) => [`${nameOf(report)} ${report.seed}`, of(report)]))
  const [own, before] = [figureOf(reports), figureOf(earlier)]
  const differences = [...new Set(reports.map(({ seed }) => seed))].flatMap((seed) => {
    const ofSeed = names.flatMap((name) => {
      const [one, other] = [own.get(`${name} ${seed}`), before.get(`${name} ${seed}`)]
      return one === undefined || other === undefined ? [] : [one - other]
    })
    return ofSeed.length === names.length ? [mean(ofSeed)] : []
  })
  return { ...meanAndError(differences), seeds: differences.length }
}

/** One row of paired differences for each name, and one of their mean. */
export const pairedTable = <Report extends Seeded>(
  reports: ReadonlyArray<Report>,
  earlier: ReadonlyArray<Report>,
  nameOf: (report: Report) => string,
  columns: ReadonlyArray<Column<Report>>
): string => {
  const all = [...new Set(reports.map(nameOf))]
  const rowOf = (title: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
    const cells = columns.map(([, of, digits]) => {
      const { seeds, ...difference } = pairedDifference(reports, earlier, { nameOf, names, of })
      return { seeds, cell: seeds === 0 ? "-" : withError(difference, digits) }
    })
    return [title, String(cells[0]?.seeds ?? 0), ...cells.map(({ cell }) => cell)]
  }
  return aligned([
    ["difference, paired over seeds", "seeds", ...columns.map(([title]) => title)],
    ...all.map((name) => rowOf(name, [name])),
    rowOf("mean", all)
  ])
}
