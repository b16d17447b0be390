/* Adds the calls of logs to memory: the operation behind `sextant import`. */
import { Clock, Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import { basename } from "node:path"
import type { LogError, LogFormat } from "../../logs/LoggedCall.ts"
import { readLogs } from "../../logs/ReadLogs.ts"
import type { MemoryUnavailable } from "../../memory/Memory.ts"
import type { Observation } from "../../domain/MemoryWrite.ts"
import {
  type AddedOutcomes, type ImportBatch, type ImportTaken, OutcomeImports, type RunningImport,
  type UndoUnfinished
} from "../../memory/OutcomeImport.ts"
import { type CallsToRead, groupsOf, type ReadGroup, readGroupsOf } from "./ReadCalls.ts"

interface LogsImport extends CallsToRead {
  readonly paths: ReadonlyArray<string>
  readonly format: LogFormat | "auto"
  /** Names of the scores that are used as labels; if the list is empty, all scores of quality. */
  readonly scores: ReadonlyArray<string>
}

export interface ImportTotals extends AddedOutcomes {
  readonly rows: number
  /** Number of rows that are outcomes, including those that the lane already had. */
  readonly found: number
  readonly leftOut: Readonly<Record<string, number>>
  readonly examples: ReadonlyMap<string, string>
  /** Number of rows for each model that the catalog does not have, by the model's name in the log. */
  readonly unknownModels: ReadonlyMap<string, number>
}

type ReportRead = (bytes: number, bytesTotal: number, rows: number) => void

/** Maximum number of unknown models that are counted by name, because a log may name any number. */
const unknownModelsMax = 1_000

const makeTotals = () => {
  const unknownModels = new Map<string, number>()
  const examples = new Map<string, string>()
  const leftOut: Record<string, number> = {}
  const totals = { rows: 0, found: 0, added: 0, taught: 0, leftOut, examples, unknownModels }
  return {
    totals,
    /** Adds a group of rows to the totals. Returns the import's counts so far, to be stored. */
    read: (group: Omit<ReadGroup, "bytesRead" | "bytesTotal">): Pick<ImportBatch, "leftOut" | "rowsRead"> => {
      totals.rows += group.rows
      totals.found += group.found
      for (const reason of group.leftOut) leftOut[reason] = (leftOut[reason] ?? 0) + 1
      for (const [reason, detail] of group.details) {
        if (!examples.has(reason)) examples.set(reason, detail)
      }
      for (const name of group.unknownModels) {
        if (unknownModels.size < unknownModelsMax || unknownModels.has(name)) {
          unknownModels.set(name, (unknownModels.get(name) ?? 0) + 1)
        }
      }
      return { leftOut: { ...leftOut }, rowsRead: totals.rows }
    },
    written: ({ added, taught }: AddedOutcomes) => {
      totals.added += added
      totals.taught += taught
    }
  }
}

const commandOf = (
  { accountId, aliases, byEffort, format, isTextKept, lane, paths, scores }: LogsImport
): string =>
  createHash("sha256").update(JSON.stringify([
    accountId, lane, paths, format, isTextKept, byEffort, Object.entries(aliases).sort(), scores.toSorted()
  ])).digest("hex")

/**
 * Reads the files in their order. The next group of rows is read while earlier rows are written, and only a
 * few groups are in memory at once.
 */
const readThrough = Effect.fnUntraced(function*<E>(
  request: LogsImport,
  { report, write }: {
    readonly report: ReportRead
    readonly write: (batch: ImportBatch) => Effect.Effect<AddedOutcomes, E>
  }
): Effect.fn.Return<ImportTotals, E | LogError | MemoryUnavailable, OutcomeImports> {
  const { read, totals, written } = makeTotals()
  const { format, isTextKept, paths, scores } = request
  const labels = scores.length === 0 ? {} : { labelNames: scores }
  const readGroup = readGroupsOf(request, yield* Clock.currentTimeMillis)
  yield* readLogs(paths, { format, ...labels }).pipe(
    Stream.flatMap((batch) => Stream.fromIterable(groupsOf(batch))),
    Stream.mapEffect(readGroup),
    Stream.buffer({ capacity: 1 }),
    Stream.runForEach(({ bytesRead, bytesTotal, ...group }) =>
      Effect.gen(function*() {
        const batch = { outcomes: group.outcomes, isTextKept, ...read(group) }
        if (group.rows + group.leftOut.length > 0) written(yield* write(batch))
        report(bytesRead, bytesTotal, totals.rows)
      }))
  )
  return totals
})

/** A dry run recognizes repeated rows among this many outcomes that it read last. Chosen. */
const lookedAtMax = 200_000

const makeFirsts = () => {
  const seen = new Set<string>()
  return (outcomes: ReadonlyArray<Observation>): ReadonlyArray<Observation> =>
    outcomes.filter(({ observationId }) => {
      if (seen.has(observationId)) return false
      seen.add(observationId)
      for (const oldest of seen) {
        if (seen.size <= lookedAtMax) break
        seen.delete(oldest)
      }
      return true
    })
}

/** Estimates how many outcomes {@link importLogs} would add, and changes nothing. */
export const tryImport = (
  request: LogsImport,
  report: ReportRead
): Effect.Effect<ImportTotals, LogError | MemoryUnavailable, OutcomeImports> =>
  Effect.suspend(() => {
    const firstsOf = makeFirsts()
    return readThrough(request, {
      report,
      write: ({ outcomes }) => {
        const firsts = firstsOf(outcomes)
        const taught = firsts.filter(({ teaches }) => teaches).length
        return Effect.succeed({ added: firsts.length, taught })
      }
    })
  })

interface EndedImport {
  readonly running: RunningImport
  readonly totals: ImportTotals
  /** Number of added outcomes, including those that an interrupted run added. */
  readonly addedInAll: number
}

/**
 * Imports logs. Rows that are already stored, for example by an interrupted run of this command, are skipped.
 * @param onBegun is called as soon as the import has an id
 */
export const importLogs = Effect.fnUntraced(function*(
  request: LogsImport,
  report: ReportRead,
  onBegun: (running: RunningImport) => void
): Effect.fn.Return<
  EndedImport,
  ImportTaken | LogError | MemoryUnavailable | UndoUnfinished,
  OutcomeImports
> {
  const imports = yield* OutcomeImports
  const { accountId, lane, paths } = request
  const running = yield* imports.begin({
    accountId, lane, command: commandOf(request), fileNames: paths.map((path) => basename(path))
  })
  onBegun(running)
  const write = (batch: ImportBatch) => imports.add(running, batch)
  const totals = yield* readThrough(request, { report, write })
  return { running, totals, addedInAll: yield* imports.end(running) }
})
