/* First pass of a backtest: reads the log once, counts it, and spools its rows without their texts. */
import { Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import type { Provenance } from "../../../src/domain/Feedback.ts"
import { difficulties, ownExcerptOf, taskTypes } from "../../../src/domain/Task.ts"
import { classifyTask } from "./Rehearsal.ts"
import { hashOf } from "../../../src/stats/Hash.ts"
import { backtestSettings } from "./BacktestSettings.ts"
import type { Features, TextToRead } from "./Features.ts"
import { type FeatureThreads, ThreadEnded } from "./FeatureThreads.ts"
import type { LogRow } from "./LogRow.ts"
import type { LeftOutReason, LogBatch, LogError, LoggedCall, LogItem } from "./logs/LoggedCall.ts"
import { type ModelTable } from "./ModelTable.ts"
import { type Spool, SpoolFailed } from "./Spool.ts"

/** What a log was found to hold. */
export interface Intake {
  readonly rows: number
  /** Rows, labels and fields that were left out, by reason. */
  readonly leftOut: ReadonlyMap<LeftOutReason, number>
  readonly withPrompt: number
  readonly labelled: number
  readonly formats: ReadonlySet<string>
  /** The earliest and the latest row, ms since 1970; infinite in an empty log. */
  readonly fromMs: number
  readonly toMs: number
  /** Whether the rows came in the order of time. */
  readonly isOrdered: boolean
  /** Of the vectors of texts; 8 in a log without any, whose vectors are all zero. */
  readonly dimensions: number
}

/** The source of a label that the log does not name is the caller's bare assertion. */
const provenanceOf = ({ evidenceSource, quality }: LoggedCall): Provenance =>
  quality === null ? "none" : evidenceSource ?? "assertion"

const orNaN = (value: number | null): number => value ?? NaN

/** What joins a row to a task: the task's name, else who asked what. */
const taskKeyOf = ({ prompt, taskId, userId }: LoggedCall): number => {
  if (taskId === null && (prompt === null || prompt === "")) return 0
  const hash = createHash("sha256")
  if (taskId === null) hash.update(`${userId ?? ""}\n`).update(prompt ?? "")
  else hash.update(taskId)
  return hash.digest().readUIntLE(0, 6)
}

/** A row without the features of its text. */
type FeaturelessRow = Omit<LogRow, "difficulty" | "taskType" | "vector">

const unreadOf = (call: LoggedCall, number: number, model: number): FeaturelessRow => {
  const id = createHash("sha256").update(call.id).digest()
  const quality = call.evidenceSource === "none" ? null : call.quality
  return {
    atMs: call.at.getTime(),
    number,
    idHigh: id.readUInt32LE(0),
    idLow: id.readUInt32LE(4),
    model,
    user: call.userId === null ? 0 : hashOf(call.userId),
    task: taskKeyOf(call),
    isTaskNamed: call.taskId !== null,
    inputTokens: orNaN(call.inputTokens),
    cachedInputTokens: orNaN(call.cachedInputTokens),
    outputTokens: orNaN(call.outputTokens),
    reasoningTokens: orNaN(call.reasoningTokens),
    costUsd: orNaN(call.costUsd),
    latencyMs: orNaN(call.latencyMs),
    quality: orNaN(quality),
    provenance: provenanceOf({ ...call, quality }),
    isDifficultyGiven: call.difficulty !== null,
    isInfraFailure: call.isInfraFailure,
    tags: call.tags.slice(0, backtestSettings.tagsMax)
      .map((tag) => tag.slice(0, backtestSettings.tagChars))
  }
}

/** A row whose text was read as the `i`th of a batch. */
const readRow = (row: FeaturelessRow, features: Features, i: number): LogRow => {
  const dimensions = features.vectors.length / features.taskTypes.length
  return {
    ...row,
    taskType: taskTypes[features.taskTypes[i]!]!,
    difficulty: difficulties[features.difficulties[i]!]!,
    vector: features.vectors.subarray(i * dimensions, (i + 1) * dimensions)
  }
}

/** A row without a text: its type is what the log says. */
const textlessRow = (row: FeaturelessRow, { difficulty, taskType }: LoggedCall): LogRow => {
  const classified = classifyTask(null, taskType, difficulty)
  return {
    ...row,
    taskType: classified.taskType,
    difficulty: classified.difficulty,
    vector: null
  }
}

/** What is counted while the log is read. */
const makeCounts = () => ({
  rows: 0, withPrompt: 0, labelled: 0, fromMs: Infinity, toMs: -Infinity, isOrdered: true, dimensions: 8,
  leftOut: new Map<LeftOutReason, number>(), formats: new Set<string>()
})

/** Texts that wait to be read, and the rows that they belong to. */
interface Batch {
  readonly rows: Array<FeaturelessRow>
  readonly texts: Array<TextToRead>
}

/** Reads all rows of a log into a spool. */
export const takeIn = <R>(
  log: Stream.Stream<LogBatch, LogError, R>,
  { report, spool, table, threads }: {
    readonly spool: Spool
    readonly table: ModelTable
    readonly threads: FeatureThreads
    readonly report: (doneBytes: number, totalBytes: number | null) => void
  }
): Effect.Effect<Intake, LogError | SpoolFailed | ThreadEnded, R> =>
  Effect.gen(function*() {
    const counts = makeCounts()
    let batch: Batch = { rows: [], texts: [] }
    const reading = new Set<Promise<void>>()
    const spooled = (rows: () => ReadonlyArray<LogRow>) =>
      Effect.try({
        try: () => {
          for (const row of rows()) spool.add(row)
        },
        catch: (cause) => new SpoolFailed({ folder: spool.folder, cause })
      })
    const finished: Array<{ readonly rows: ReadonlyArray<FeaturelessRow>; readonly features: Features }> = []
    const failed: Array<ThreadEnded> = []

    /** Sends the texts that wait to a thread, whose answer is spooled by {@link settle}. */
    const send = (): void => {
      if (batch.texts.length === 0) return
      const { rows, texts } = batch
      batch = { rows: [], texts: [] }
      const answer = threads.read(texts).then(
        (features) => { finished.push({ rows, features }) },
        (cause: unknown) => { failed.push(cause instanceof ThreadEnded ? cause : new ThreadEnded({ cause })) }
      ).finally(() => reading.delete(answer))
      reading.add(answer)
    }

    /** Spools what was read, once no more than `most` batches wait. */
    const settle = Effect.fnUntraced(function*(most: number) {
      while (reading.size > most) yield* Effect.promise(() => Promise.race(reading))
      const [failure] = failed
      if (failure !== undefined) return yield* failure
      for (const { features, rows } of finished.splice(0)) {
        counts.dimensions = features.vectors.length / rows.length
        yield* spooled(() => rows.map((row, i) => readRow(row, features, i)))
      }
    })

    const take = (call: LoggedCall): LogRow | null => {
      const row = unreadOf(call, counts.rows++, table.count(call.modelId, call.effort, call))
      if (row.atMs < counts.toMs) counts.isOrdered = false
      counts.fromMs = Math.min(counts.fromMs, row.atMs)
      counts.toMs = Math.max(counts.toMs, row.atMs)
      if (!Number.isNaN(row.quality)) counts.labelled++
      if (call.prompt === null || call.prompt === "") return textlessRow(row, call)
      counts.withPrompt++
      batch.rows.push(row)
      const { difficulty, prompt, taskType } = call
      batch.texts.push({ text: ownExcerptOf(prompt), taskType, difficulty })
      if (batch.texts.length >= backtestSettings.batchTexts) send()
      return null
    }

    const takeItem = (item: LogItem): LogRow | null => {
      if (item._tag === "Call") return take(item.call)
      counts.leftOut.set(item.reason, (counts.leftOut.get(item.reason) ?? 0) + 1)
      return null
    }

    yield* Stream.runForEach(log, ({ bytesRead, bytesTotal, format, items }) =>
      Effect.gen(function*() {
        counts.formats.add(format)
        yield* spooled(() => items.map(takeItem).filter((row) => row !== null))
        yield* settle(threads.width)
        report(bytesRead, bytesTotal)
      }))
    send()
    yield* settle(0)
    return counts
  })
