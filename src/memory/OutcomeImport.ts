/* Port: imports outcomes from other programs' logs into memory, and undoes imports. */
import { Context, type Effect, Schema } from "effect"
import type { AccountId, LaneId } from "../domain/Scope.ts"
import type { MemoryUnavailable } from "./Memory.ts"
import type { Observation } from "../domain/MemoryWrite.ts"

/** Number of rows that an import skipped, by reason. */
type LeftOutRows = Readonly<Record<string, number>>

export interface ImportEntry {
  readonly importId: string
  readonly lane: string
  /** The state of an import. An interrupted import is still `running`. */
  readonly state: "running" | "done" | "undoing"
  readonly files: ReadonlyArray<string>
  readonly rowsRead: number
  readonly added: number
  readonly leftOut: LeftOutRows
  readonly startedAt: Date
}

export interface NewImport extends LaneId {
  /** An identifier of the command, by which a repeated command continues its import. */
  readonly command: string
  readonly fileNames: ReadonlyArray<string>
}

export interface RunningImport extends LaneId, Omit<ImportEntry, "lane"> {
  /** Random id of the writing process. A process that takes over the import writes its own id. */
  readonly claim: string
  /** True if an earlier process began the import. */
  readonly isResumed: boolean
}

/** Outcomes to add, and how far the files are read after these outcomes. */
export interface ImportBatch {
  /**
   * The outcomes' ids are computed from the log's rows, so that a repeated import finds the same outcomes.
   */
  readonly outcomes: ReadonlyArray<Observation>
  readonly isTextKept: boolean
  readonly rowsRead: number
  readonly leftOut: LeftOutRows
}

export class UnknownImport extends Schema.TaggedError<UnknownImport>()("UnknownImport", {
  accountId: Schema.String,
  importId: Schema.String
}) {
  override get message() {
    return `${this.accountId} has no import ${this.importId}: `
      + `run \`sextant import --list --instance ${this.accountId}\``
  }
}

/** The failure of a process whose import another process undoes or continues. */
export class ImportTaken extends Schema.TaggedError<ImportTaken>()("ImportTaken", {
  importId: Schema.String
}) {
  override get message() {
    return `Another process has undone the import ${this.importId}, or goes on with it: this one ends here`
  }
}

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

/** Number of outcomes that a batch added, and number of those that teach. */
export interface AddedOutcomes {
  readonly added: number
  readonly taught: number
}

export interface DeletedOutcomes {
  readonly lane: string
  readonly outcomes: number
}

/**
 * Adds outcomes of other programs' logs to memory. Each id counts once, even if several imports contain it.
 */
export class OutcomeImports extends Context.Service<OutcomeImports, {
  readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<ImportEntry>, MemoryUnavailable>
  readonly stored: (
    lane: LaneId,
    observationIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlySet<string>, MemoryUnavailable>
  /**
   * Continues the unfinished import of the same command, or begins a new import. A process can no longer
   * write an import that another process continues. Fails while an import of the lane is being undone.
   */
  readonly begin: (request: NewImport) => Effect.Effect<RunningImport, MemoryUnavailable | UndoUnfinished>
  /** Adds the built-in embedder's vector if memory can use one, without a network call. */
  readonly embedded: (outcome: Observation) => Observation
  /** Adds the batch's outcomes and stores the progress in one transaction. */
  readonly add: (
    running: RunningImport,
    batch: ImportBatch
  ) => Effect.Effect<AddedOutcomes, MemoryUnavailable | ImportTaken>
  /**
   * Ends an import. Returns the number of outcomes that it added; 0 if another process has taken the import
   * over.
   */
  readonly end: (running: RunningImport) => Effect.Effect<number, MemoryUnavailable>
  /**
   * Stops a process that still writes the import, and deletes its outcomes with their sums, votes and
   * lessons. A repeated call continues an undo that was interrupted.
   * @param report called after each batch with the number of outcomes deleted so far
   */
  readonly undo: (
    id: ImportId,
    report: (outcomes: number) => void
  ) => Effect.Effect<DeletedOutcomes, MemoryUnavailable | UnknownImport>
}>()("sextant/memory/OutcomeImports") {}
