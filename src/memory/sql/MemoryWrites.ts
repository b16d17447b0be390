/* Writes to the database: the rows of a feedback's writes, and single writes by the same statement. */
import { Clock, Effect, type Latch, Result } from "effect"
import { SqlClient } from "effect/sql"
import { taskTextOf } from "../../accounts/AccountSettings.ts"
import { excerptOf } from "../../domain/Task.ts"
import { monotonicMs } from "../../domain/Time.ts"
import type { TaskText, TaskVector } from "../../domain/text/TaskText.ts"
import { noRows, nothingWritten, type WriteRows, type WrittenRows } from "../../domain/WriteRows.ts"
import type { Embedder, RemoteEmbedder } from "../../embedder/Embedder.ts"
import { callAs } from "../../sql/AccountScope.ts"
import { wellFormedJson } from "../../sql/RowSet.ts"
import { retryTransient } from "../../sql/Transient.ts"
import { measures } from "../index/Entry.ts"
import type { Memory } from "../Memory.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import type { MemoryWrite, Observation, Written } from "../MemoryWrite.ts"
import { textSettings } from "../TextSettings.ts"
import { AroundWrite } from "../WriteSteps.ts"
import type { EmbeddingBackfill } from "./EmbeddingBackfill.ts"
import { lessonRow, stepRows } from "./LessonRows.ts"
import { laneKeyOf, type MemoryAccess } from "./MemoryAccess.ts"
import { observationRow } from "./ObservationRow.ts"
import { withVectors } from "./ObservationVectors.ts"
import type { ReadYourWrites } from "./ReadYourWrites.ts"
import { reinforcementRow } from "./ReinforcementRows.ts"

interface WriteParts {
  readonly access: MemoryAccess
  readonly embedder: Embedder["Service"]
  readonly remote: RemoteEmbedder | null
  readonly ownWrites: ReadYourWrites
  /** Null without a remote embedder. */
  readonly backfill: EmbeddingBackfill | null
  /** Opened when an outcome makes a reflection due. */
  readonly reflectionDue: Latch.Latch
  /** Whether the words of outcomes are kept here, unless the account says otherwise. */
  readonly keptText: TaskText
  readonly settings: MemorySettings
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** The entries that a reinforcement may vote on, each once: an id that is no UUID is no entry's. */
const votableOf = (entryIds: ReadonlyArray<string>, entriesMax: number): ReadonlyArray<string> =>
  [...new Set(entryIds)].filter(isUuid).slice(0, entriesMax)

/** The outcome's vector of an embedder; null without one, or where the outcome is not found by similarity. */
const vectorOf = (observation: Observation, embedder: string): TaskVector | null =>
  observation.teaches || measures(observation)
    ? observation.taskVectors?.find((each) => each.embedder === embedder) ?? null
    : null

/** The row of an outcome, with its words where they are kept, and the vectors of both embedders. */
const outcomeRow = Effect.fnUntraced(function*(
  { embedder, keptText, remote, settings }: WriteParts,
  observation: Observation
) {
  const { accountId, task, teaches } = observation
  const isKept = teaches && task !== ""
    && (yield* taskTextOf(accountId, keptText, textSettings.settingMs)) === "excerpt"
  const identities = [embedder.identity, ...(remote === null ? [] : [remote.identity])]
  return observationRow({
    observation,
    vectors: identities.flatMap((identity) => vectorOf(observation, identity) ?? []),
    task: isKept ? excerptOf(task) : null,
    reflectionEvery: settings.reflection.every
  })
})

/** The rows of one write. */
const rowsOf = Effect.fnUntraced(function*(
  parts: WriteParts,
  write: MemoryWrite
): Effect.fn.Return<WriteRows> {
  const { settings } = parts
  const lanes = [{ lane: write.body.lane, growth: 1 }]
  switch (write.kind) {
    case "teach":
      return { ...noRows, lanes, outcomes: [yield* outcomeRow(parts, write.body)] }
    case "reinforce": {
      const reinforcement = write.body
      const entryIds = votableOf(reinforcement.entryIds, settings.reinforcedEntriesMax)
      const nowMs = yield* Clock.currentTimeMillis
      return entryIds.length === 0
        ? noRows
        : { ...noRows, lanes, votes: [reinforcementRow({ reinforcement, entryIds, nowMs, settings })] }
    }
    case "recordSteps":
      return { ...noRows, steps: stepRows(write.body) }
    case "promote":
      return { ...noRows, lessons: [lessonRow(write.body)] }
  }
})

/** The rows of several writes to one lane. */
const allRows = (each: ReadonlyArray<WriteRows>): WriteRows => {
  const growth = each.flatMap(({ lanes }) => lanes).reduce((sum, lane) => sum + lane.growth, 0)
  const [lane] = each.flatMap(({ lanes }) => lanes)
  return {
    lanes: lane === undefined ? [] : [{ ...lane, growth }],
    outcomes: each.flatMap(({ outcomes }) => outcomes),
    votes: each.flatMap(({ votes }) => votes),
    lessons: each.flatMap(({ lessons }) => lessons),
    steps: each.flatMap(({ steps }) => steps),
    outbox: []
  }
}

/** What a write comes to; with nothing written, what it is expected to come to as far as that is known. */
const writtenOf = (write: MemoryWrite, written: WrittenRows): Written => {
  switch (write.kind) {
    case "teach": {
      const { isDue, laneTaught, recordId } = written
      return {
        kind: "teach",
        taught: { recordId: recordId ?? "", laneTaught: laneTaught ?? 0, reflectionTriggered: isDue ?? false }
      }
    }
    case "reinforce": {
      const { entryIds, updatedConfidence } = written
      return { kind: "reinforce", reinforced: { entryIds: entryIds ?? [], updatedConfidence } }
    }
    case "recordSteps":
      return { kind: "recordSteps", recorded: written.stepsRecorded ?? write.body.steps.length }
    case "promote":
      return { kind: "promote" }
  }
}

/** Lets this process know of durable writes: recall waits for them, vectors and a reflection may be due. */
const notice = Effect.fnUntraced(function*(
  { backfill, ownWrites, reflectionDue, remote }: WriteParts,
  writes: ReadonlyArray<MemoryWrite>,
  { isDue, version }: WrittenRows
) {
  const nowMs = yield* monotonicMs
  const [first] = writes
  if (first !== undefined && version !== null) ownWrites.add(laneKeyOf(first.body), version, nowMs)
  for (const { body, kind } of writes) {
    // Telemetry that got no vector stays without one: it is not worth a second request.
    if (remote === null || kind !== "teach" || !body.teaches || body.task === "") continue
    const { accountId, lane } = body
    if (vectorOf(body, remote.identity) === null) backfill?.request({ accountId, lane }, nowMs, true)
  }
  if (isDue === true) yield* reflectionDue.open
})

/** The writing half of the memory in the ledger's database. */
export const makeWrites = (parts: WriteParts): Pick<Memory["Service"], "prepare" | "write"> => {
  const { access, embedder, remote } = parts
  const embedded = withVectors({ embedder, remote })

  /** Makes one write in a statement of its own. */
  const writeNow = Effect.fnUntraced(function*(given: MemoryWrite) {
    const write = yield* embedded(given)
    const rows = Object.entries(yield* rowsOf(parts, write)).map(([name, each]) =>
      [name, each.map((row: object) => ({ position: 0, ...row }))])
    const { accountId } = write.body
    const [stored] = yield* access.unavailable(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return yield* sql<{ readonly written: ReadonlyArray<WrittenRows> }>`
        select store_writes(${accountId}, ${wellFormedJson(Object.fromEntries(rows))}::text::json) as written`
    }).pipe(callAs(accountId), retryTransient))
    const written = stored?.written[0] ?? nothingWritten
    yield* notice(parts, [write], written)
    return writtenOf(write, written)
  })

  return {
    prepare: Effect.fnUntraced(function*(given) {
      const around = yield* AroundWrite
      const writes = yield* Effect.forEach(given, embedded)
      return {
        results: writes.map((write) => Result.succeed(writtenOf(write, nothingWritten))),
        rows: allRows(yield* Effect.forEach(writes, (write) => rowsOf(parts, write))),
        onWritten: (written) => notice(parts, writes, written),
        // Each write takes as long as the statement that makes them all.
        around: (self) => writes.reduce((inner, { kind }) => around(kind)(inner), self)
      }
    }),
    write: (write) => Effect.flatMap(AroundWrite, (around) => around(write.kind)(writeNow(write)))
  }
}
