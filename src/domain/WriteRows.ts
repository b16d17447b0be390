/* The rows that the settlement of a feedback writes for its memory, and what the database answers to them. */
import type { Lane } from "./Scope.ts"

/** A row by column, as JSON says it. */
type Row = Readonly<Record<string, unknown>>

/** What a feedback writes in the ledger's database beside its report, by table. */
export interface WriteRows {
  /** By how much the versions of lanes grow, `growth`: at least by the number of outcomes and votes. */
  readonly lanes: ReadonlyArray<{ readonly lane: Lane; readonly growth: number }>
  readonly outcomes: ReadonlyArray<Row>
  readonly votes: ReadonlyArray<Row>
  readonly lessons: ReadonlyArray<Row>
  readonly steps: ReadonlyArray<Row>
  /** Writes that are still to be sent to an external memory. */
  readonly outbox: ReadonlyArray<Row>
}

export const noRows: WriteRows = { lanes: [], outcomes: [], votes: [], lessons: [], steps: [], outbox: [] }

/** What the database answers to the rows of one feedback; null where it has no such row. */
export interface WrittenRows {
  /** The version of the lane with these rows. */
  readonly version: number | null
  /** The record of the outcome's cluster and model. */
  readonly recordId: string | null
  /** Outcomes that have taught the lane, count. */
  readonly laneTaught: number | null
  /** The outcome makes a reflection due. */
  readonly isDue: boolean | null
  /** The entries that were voted up. */
  readonly entryIds: ReadonlyArray<string> | null
  /** Mean reliability of the entries after the vote, in [0, 1]. */
  readonly updatedConfidence: number | null
  /** Steps that are new, count. */
  readonly stepsRecorded: number | null
}

export const nothingWritten: WrittenRows = {
  version: null, recordId: null, laneTaught: null, isDue: null, entryIds: null, updatedConfidence: null,
  stepsRecorded: null
}
