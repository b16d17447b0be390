/* Port: imports outcomes from other programs' logs into memory, and undoes imports. */
import { Context, type Effect, Schema } from "effect"
import type { AccountId, LaneId } from "../domain/Scope.ts"
import type { MemoryUnavailable } from "./Memory.ts"
import type { Observation } from "../domain/MemoryWrite.ts"

/** Rows that an import skipped: counts by reason. */
type LeftOutRows = Readonly<Record<string, number>>

/** An import in a list of imports. */
export interface ImportEntry {
  readonly importId: string
  readonly lane: string
  /** An interrupted import is still `running`. A partly undone import is `undoing`. */
  readonly state: "running" | "done" | "undoing"
  readonly files: ReadonlyArray<string>
  /** Rows read from the files, count. */
  readonly rowsRead: number
  /** Outcomes added, count. */
  readonly added: number
  readonly leftOut: LeftOutRows
  readonly startedAt: Date
}

/** A run of the import command. */
export interface NewImport extends LaneId {
  /** Identifies the command, so that a repeated command continues its import. */
  readonly command: string
  readonly fileNames: ReadonlyArray<string>
}

/** An import that this process writes. */
export interface RunningImport extends LaneId, Omit<ImportEntry, "lane"> {
  /** Random id of the writing process. Another process that takes over the import sets its own id. */
  readonly claim: string
  /** Whether an earlier process began the import and has stored some outcomes. */
  readonly isResumed: boolean
}

/** Outcomes to add together, and the progress of reading after them. */
export interface ImportBatch {
  /** Ids are calculated from the log's rows, so a repeated import finds the same outcomes. */
  readonly outcomes: ReadonlyArray<Observation>
  /** Whether the texts of the tasks are stored. */
  readonly isTextKept: boolean
  /** Rows read from all files so far, count. */
  readonly rowsRead: number
  readonly leftOut: LeftOutRows
}

/** The account has no import with this id. */
export class UnknownImport extends Schema.TaggedError<UnknownImport>()("UnknownImport", {
  accountId: Schema.String,
  importId: Schema.String
}) {
  override get message() {
    return `${this.accountId} has no import ${this.importId}: `
      + `run \`sextant import --list --instance ${this.accountId}\``
  }
}

/** Another process has undone the import, or continues it. */
export class ImportTaken extends Schema.TaggedError<ImportTaken>()("ImportTaken", {
  importId: Schema.String
}) {
  override get message() {
    return `Another process has undone the import ${this.importId}, or goes on with it: this one ends here`
  }
}

/**
 * Another import of the lane is partly undone. A new import would mistake rows of the other import for stored
 * ones.
 */
export class UndoUnfinished extends Schema.TaggedError<UndoUnfinished>()("UndoUnfinished", {
  accountId: Schema.String,
  importId: Schema.String
}) {
  override get message() {
    return `The import ${this.importId} is being undone. Nothing was imported: run this command again once `
      + `\`sextant memory undo --instance ${this.accountId} --import ${this.importId}\` has ended`
  }
}

export interface ImportId {
  readonly accountId: AccountId
  readonly importId: string
}

/** Outcomes that a batch added, and the part of them that teaches, counts. */
export interface AddedOutcomes {
  readonly added: number
  readonly taught: number
}

/** Number of outcomes deleted from a lane. */
export interface DeletedOutcomes {
  readonly lane: string
  readonly outcomes: number
}

/**
 * Adds outcomes of other programs' logs to memory. Imported outcomes are marked and have no decision. Each id
 * counts once, even if several imports contain it. Driver: `OutcomeImportSql`.
 */
export class OutcomeImports extends Context.Service<OutcomeImports, {
  /** Lists the account's imports, newest first. */
  readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<ImportEntry>, MemoryUnavailable>
  /** Returns the ids that the lane already has. */
  readonly stored: (
    lane: LaneId,
    observationIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlySet<string>, MemoryUnavailable>
  /**
   * Continues the unfinished import of the same command, or begins a new import. Only this process may then
   * write the import. Fails while an import of the lane is partly undone.
   */
  readonly begin: (request: NewImport) => Effect.Effect<RunningImport, MemoryUnavailable | UndoUnfinished>
  /** Adds the built-in embedder's vector to the outcome. Nothing is sent over the network. */
  readonly embedded: (outcome: Observation) => Observation
  /**
   * Adds the batch's outcomes and stores the progress in one transaction. Running services see the outcomes
   * within a second.
   */
  readonly add: (
    running: RunningImport,
    batch: ImportBatch
  ) => Effect.Effect<AddedOutcomes, MemoryUnavailable | ImportTaken>
  /**
   * Ends an import, and reflects on its lane once. An import without new outcomes is deleted. Returns the
   * number of outcomes that the import added.
   */
  readonly end: (running: RunningImport) => Effect.Effect<number, MemoryUnavailable>
  /**
   * Deletes an import's outcomes, so that memory is as if the import had never run. Each batch is one
   * transaction, so feedback waits for one batch at most. Running services see the change at the end. A
   * repeated call continues an interrupted undo. A process that still writes the import is stopped first.
   *
   * @param report called after each batch with the number of outcomes deleted so far
   */
  readonly undo: (
    id: ImportId,
    report: (outcomes: number) => void
  ) => Effect.Effect<DeletedOutcomes, MemoryUnavailable | UnknownImport>
}>()("sextant/memory/OutcomeImports") {}
