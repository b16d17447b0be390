/* The driver of `OutcomeImports` that uses the service's own database. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { reasonOf } from "../../sql/SqlFailure.ts"
import { measures } from "../index/Entry.ts"
import { MemoryUnavailable } from "../Memory.ts"
import { memorySettings } from "../MemorySettings.ts"
import type { Observation } from "../../domain/MemoryWrite.ts"
import { ImportTaken, OutcomeImports, UndoUnfinished, UnknownImport } from "../OutcomeImport.ts"
import { addOutcomes } from "./ImportedOutcomes.ts"
import { beginImport, endImport, listImports, storedIds } from "./ImportRows.ts"
import { lexicalVectorOf } from "./ObservationVectors.ts"
import { undoImport } from "./UndoImport.ts"

type ImportRefusal = ImportTaken | UndoUnfinished | UnknownImport

const isRefusal = <E>(error: E): error is Extract<E, ImportRefusal> =>
  error instanceof ImportTaken || error instanceof UndoUnfinished || error instanceof UnknownImport

const embedded = (outcome: Observation): Observation =>
  outcome.task === "" || !(outcome.teaches || measures(outcome))
    ? outcome
    : { ...outcome, taskVectors: [lexicalVectorOf(outcome.task)] }

const make = Effect.map(SqlClient.SqlClient, (sql) => {
  /** Turns every failure except an {@link ImportRefusal} into `MemoryUnavailable`. */
  const unavailable = <A, E>(
    effect: Effect.Effect<A, E, SqlClient.SqlClient>
  ): Effect.Effect<A, Extract<E, ImportRefusal> | MemoryUnavailable> =>
    effect.pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.mapError((error) =>
        isRefusal(error) ? error : new MemoryUnavailable({ reason: reasonOf(error) }))
    )
  return OutcomeImports.of({
    list: (accountId) => unavailable(listImports(accountId)),
    stored: (lane, ids) => unavailable(storedIds(lane, ids)),
    begin: (request) => unavailable(beginImport(request)),
    embedded,
    add: (running, batch) => unavailable(addOutcomes(running, batch)),
    end: (running) => unavailable(endImport(running, memorySettings)),
    undo: (id, report) => unavailable(undoImport(id, memorySettings, report))
  })
})

export const layer: Layer.Layer<OutcomeImports, never, SqlClient.SqlClient> =
  Layer.effect(OutcomeImports, make)
