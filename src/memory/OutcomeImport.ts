/* Port: imports of outcomes from other programs' logs, their records, and their failures. */
import { Context, type Effect, Schema } from "effect"
import type { AccountId, LaneId } from "../domain/Scope.ts"
import type { MemoryUnavailable } from "./Memory.ts"
import type { Observation } from "../domain/MemoryWrite.ts"

/** Rows that were left out, counts by reason. */
export const LeftOutRows = Schema.Record(Schema.String, Schema.Int)
export type LeftOutRows = typeof LeftOutRows.Type

/** An import as it is listed. */
export interface ImportEntry {
  readonly importId: string
  readonly lane: string
  /** `running` also of one that was interrupted; `undoing` of one that is partly undone. */
  readonly state: "running" | "done" | "undoing"
  /** Names of the files. */
  readonly files: ReadonlyArray<string>
  /** Rows of the files that were read, and outcomes that were added, counts. */
  readonly rowsRead: number
  readonly added: number
  readonly leftOut: LeftOutRows
  readonly startedAt: Date
}

/** The state with which a run of the command begins. */
export interface NewImport extends LaneId {
  /** The same for a repeat of the same command. */
  readonly command: string
  readonly fileNames: ReadonlyArray<string>
}

/** An import that this process writes. */
export interface RunningImport extends LaneId, Omit<ImportEntry, "lane"> {
  /** Names this process as its writer, until another one takes over. */
  readonly claim: string
  /** Whether an earlier process began the import; its outcomes are already stored. */
  readonly isResumed: boolean
}

/** Some outcomes, and what was read of the files with them. */
export interface ImportBatch {
  /** Their ids follow from the log's rows, so that a repeat is the same outcome. */
  readonly outcomes: ReadonlyArray<Observation>
  /** Whether the words of the outcomes are kept. */
  readonly isTextKept: boolean
  /** Rows of all files up to here, count. */
  readonly rowsRead: number
  readonly leftOut: LeftOutRows
}

/** The account has no import of that id. */
export class UnknownImport extends Schema.TaggedError<UnknownImport>()("UnknownImport", {
  accountId: Schema.String,
  importId: Schema.String
}) {
  override get message() {
    return `${this.accountId} has no import ${this.importId}: `
      + `run \`sextant import --list --instance ${this.accountId}\``
  }
}

/** Another process has undone the import, or goes on with it. What was added before stays as it left it. */
export class ImportTaken extends Schema.TaggedError<ImportTaken>()("ImportTaken", {
  importId: Schema.String
}) {
  override get message() {
    return `Another process has undone the import ${this.importId}, or goes on with it: this one ends here`
  }
}

/** An import of the lane is partly undone: rows of it would be taken for stored, and deleted afterwards. */
export class UndoUnfinished extends Schema.TaggedError<UndoUnfinished>()("UndoUnfinished", {
  accountId: Schema.String,
  importId: Schema.String
}) {
  override get message() {
    return `The import ${this.importId} is being undone. Nothing was imported: run this command again once `
      + `\`sextant memory undo --instance ${this.accountId} --import ${this.importId}\` has ended`
  }
}

/** Which import of which account. */
export interface ImportId {
  readonly accountId: AccountId
  readonly importId: string
}

/** Outcomes that a batch added, and how many of them teach, counts. */
export interface AddedOutcomes {
  readonly added: number
  readonly taught: number
}

/** How many outcomes of a lane were deleted. */
export interface DeletedOutcomes {
  readonly lane: string
  readonly outcomes: number
}

/**
 * Adds outcomes of other programs' logs to memory. They are marked as imported, are no decisions, and count
 * once by their ids, whichever import brings them. Driver: `OutcomeImportSql`.
 */
export class OutcomeImports extends Context.Service<OutcomeImports, {
  /** The account's imports, newest first. */
  readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<ImportEntry>, MemoryUnavailable>
  /** Which of these outcomes the lane has. */
  readonly stored: (
    lane: LaneId,
    observationIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlySet<string>, MemoryUnavailable>
  /**
   * The import that the same command began and did not end, from now on written by this process alone; else a
   * new one. Fails while an import of the lane is partly undone.
   */
  readonly begin: (request: NewImport) => Effect.Effect<RunningImport, MemoryUnavailable | UndoUnfinished>
  /** The outcome with the built-in embedder's vector, by which it is found; nothing is sent anywhere. */
  readonly embedded: (outcome: Observation) => Observation
  /**
   * Adds the batch's outcomes and notes what was read, in one transaction. Running services see the outcomes
   * within a second.
   */
  readonly add: (
    running: RunningImport,
    batch: ImportBatch
  ) => Effect.Effect<AddedOutcomes, MemoryUnavailable | ImportTaken>
  /**
   * Ends an import, and reflects on its lane once. One that added nothing leaves no trace. Yields how many
   * outcomes it added in all.
   */
  readonly end: (running: RunningImport) => Effect.Effect<number, MemoryUnavailable>
  /**
   * Leaves memory as if the import had never been made. A batch of outcomes is one transaction, so that
   * feedback on the lane waits for a batch at most; a running service sees the whole undone at the end. One
   * that was interrupted goes on when it is called again. An import that another process writes ends first.
   *
   * @param report the number of outcomes deleted so far, after each batch
   */
  readonly undo: (
    id: ImportId,
    report: (outcomes: number) => void
  ) => Effect.Effect<DeletedOutcomes, MemoryUnavailable | UnknownImport>
}>()("sextant/memory/OutcomeImports") {}
