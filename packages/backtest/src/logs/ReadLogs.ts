/* Reads logs of any size as a stream: batch by batch, in the order of the files and of their rows. */
import { Clock, Effect, Stream } from "effect"
import { formats } from "./formats/Formats.ts"
import { makeLabelTable } from "./labels/LabelTable.ts"
import { makePromptTable } from "./labels/PromptTable.ts"
import type { LogBatch, LogError, LogFormat, LogItem, LogPosition } from "./LoggedCall.ts"
import { type Plan, planOf } from "./Plan.ts"
import { readCalls, type Reading, readLabels, type RowsPlan } from "./ReadFile.ts"

export interface ReadOptions {
  /** `auto`: found by the first rows of each file. */
  readonly format: LogFormat | "auto"
  /** Where earlier readings ended. A file that none of them knows is read from its beginning. */
  readonly from?: ReadonlyArray<LogPosition>
  /** Names of the scores that count as labels; all that are of quality when left out. */
  readonly labelNames?: ReadonlyArray<string>
}

const hasRows = (plan: Plan): plan is RowsPlan => plan.layout !== null

const mayHaveLabels = ({ layout: { format } }: RowsPlan): boolean => formats[format].marks.length > 0

/** Items of a batch that is made of no piece of a file, count. */
const itemsMax = 1_000

/** Labels and prompts that no call took, in batches of one file. */
function* unusedParts(
  plans: ReadonlyArray<RowsPlan>, reading: Reading, isWhole: boolean
): Generator<LogBatch> {
  const byNumber = new Map(plans.map((plan) => [plan.number, plan]))
  const { bytesTotal } = reading
  let items: Array<LogItem> = []
  let file = -1
  const batches = function*(): Generator<LogBatch> {
    const plan = byNumber.get(file)
    if (plan === undefined || items.length === 0) return
    const { layout: { format }, number, path, start } = plan
    yield {
      path, format, items, position: reading.positions[number] ?? start, bytesRead: bytesTotal, bytesTotal
    }
    items = []
  }
  const all = function*() {
    yield* reading.labels.unused(isWhole)
    yield* reading.prompts.unused(isWhole)
  }
  for (const { detail, file: number, line, reason } of all()) {
    if (items.length >= itemsMax || number !== file) yield* batches()
    file = number
    items.push({ _tag: "LeftOut", reason, line, detail })
  }
  yield* batches()
}

/**
 * All rows of the files, which are read one after the other; one piece is held at a time. Labels that stand
 * in other rows than their calls are collected first. Fails before the first row where a file cannot be read,
 * or where it is not clear what it is.
 */
export const readLogs = (
  paths: ReadonlyArray<string>,
  { format, from = [], labelNames }: ReadOptions
): Stream.Stream<LogBatch, LogError> =>
  Stream.unwrap(Effect.gen(function*() {
    const plans = yield* Effect.forEach(paths, (path, i) => planOf(path, i, format, from))
    const withRows = plans.filter(hasRows)
    const withLabels = withRows.filter(mayHaveLabels)
    const withCalls = withRows.filter(({ layout }) => !layout.isOfLabels)
    const reading: Reading = {
      nowMs: yield* Clock.currentTimeMillis,
      labels: makeLabelTable(labelNames ?? null),
      prompts: makePromptTable(),
      positions: plans.map(({ start }) => start),
      bytesDone: 0,
      bytesTotal: [...withLabels, ...withCalls].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    }
    // Calls before the positions are not read again, so that which labels they took is not known.
    const isWhole = plans.every(({ start }) => start.offset === 0)
    // At the end, so that a reading that was interrupted and goes on counts them once.
    const unused = Stream.suspend(() =>
      Stream.fromIterable(unusedParts(withRows, reading, isWhole), { chunkSize: 1 }))
    return Stream.fromIterable([
      ...withLabels.map((plan) => readLabels(plan, reading)),
      ...withCalls.map((plan) => readCalls(plan, reading)),
      unused
    ]).pipe(Stream.flatMap((batches) => batches))
  }))
