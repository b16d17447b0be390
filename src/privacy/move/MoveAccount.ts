/* Moves an account from one cell to another while it is used. */
import { Clock, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { type AccountInUse, announce, requireEmpty } from "../ImportAccount.ts"
import { arrive } from "./Arrive.ts"
import {
  copyChanged, copyKeys, copyLateDecisions, type LateDecisions, lateSince, mendTable, missingLate,
  oldestUnseen
} from "./CopyRows.ts"
import { decisionsIn, decisionTable, type Move, type MoveFailure, refuse } from "./Move.ts"
import { isSame, type MovedTable, movedTables, rowSum } from "./MovedTables.ts"
import { moveSettings } from "./MoveSettings.ts"
import {
  beginPhase, freeze, inCell, leave, type MoveState, readState, servesAccount, setPhase, type Side, thaw
} from "./MoveState.ts"

/** A move that has been made. */
export interface Moved {
  /** Rows by table that were compared, and their sums where they were summed. */
  readonly sums: Readonly<Record<string, { readonly rows: number; readonly sum: string | null }>>
  /** How long feedback was refused, ms; null when an earlier run began the freeze. */
  readonly frozenMs: number | null
}

/** Statements of the account that all see one snapshot of that cell. */
const inSnapshot = ({ sql }: Side, accountId: AccountId) =>
<A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>): Effect.Effect<A, E | SqlError.SqlError> =>
  sql.withTransaction(Effect.andThen(
    sql`set transaction isolation level repeatable read, read only`,
    withAccount(accountId)(effect)
  )).pipe(Effect.provideService(SqlClient.SqlClient, sql))

const schemaOf = ({ sql }: Side) =>
  Effect.map(sql<{ readonly name: string }>`select name from sextant_migration order by migration_id`,
    (rows) => rows.map(({ name }) => name).join())

/** Why the account may not go from one cell to the other, by what they know of its moves; or null. */
const refusalOf = (
  { from, to }: Pick<Move<never>, "from" | "to">,
  own: MoveState | null,
  other: MoveState | null
): string | null => {
  if (own?.phase === "arriving" || own?.phase === "draining") {
    return `it is not yet moved from ${own.peer} to ${from.cell}`
  }
  if (own !== null && own.peer !== to.cell) {
    return own.phase === "arrived"
      ? `confirm its move from ${own.peer} first`
      : `it is being moved from ${from.cell} to ${own.peer}`
  }
  if (other === null) return null
  const isExpected = other.peer === from.cell && ["arriving", "draining", "left"].includes(other.phase)
  return isExpected ? null : `${to.cell} has a move of it with ${other.peer}: confirm or undo that first`
}

interface MoveStart {
  /** Whether the account has left already. */
  readonly hasLeft: boolean
  /** On a move back, the decisions that came to `to` late, which `from` may lack; else null. */
  readonly late: LateDecisions | null
}

/** Begins the move in both cells, or continues one. */
const begin = Effect.fnUntraced(function*<E>(
  { accountId, from, say, to }: Move<E>,
  tables: ReadonlyArray<MovedTable>
): Effect.fn.Return<MoveStart, AccountInUse | MoveFailure> {
  const [own, other] = yield* Effect.all([readState(from, accountId), readState(to, accountId)])
  const refusal = refusalOf({ from, to }, own, other)
  if (refusal !== null) return yield* refuse(`${accountId}: ${refusal}`)
  if (own?.phase === "left") return { hasLeft: true, late: null }
  if (own === null && !(yield* servesAccount(from, accountId))) {
    return yield* refuse(`${from.cell} does not serve ${accountId}`)
  }
  if ((yield* schemaOf(from)) !== (yield* schemaOf(to))) {
    return yield* refuse(`${from.cell} and ${to.cell} have different schemas: run sextant cells migrate`)
  }
  if (other === null) yield* inCell(to, accountId)(requireEmpty(accountId, tables))
  const isReturn = other !== null && (other.phase === "left" || other.isReturn)
  yield* beginPhase(to, accountId, { peer: from.cell, phase: "arriving", isReturn })
  yield* beginPhase(from, accountId, { peer: to.cell, phase: "copying", isReturn })
  yield* say(`${accountId} is being copied from ${from.cell} to ${to.cell}`)
  return { hasLeft: false, late: isReturn ? lateSince(other.frozenAt) : null }
})

/** Makes the account's tables in `to`, but for queues, as they are in the open snapshot of `from`. */
const copyTables = Effect.fnUntraced(function*<E>(
  { accountId, from, to }: Pick<Move<E>, "accountId" | "from" | "to">,
  tables: ReadonlyArray<MovedTable>,
  late: LateDecisions | null
) {
  for (const table of tables.filter(({ isQueue }) => !isQueue)) {
    // What came to `to` late would be lost: it goes to `from`, and comes back with the next copy.
    const keep = late === null || table.name !== decisionTable
      ? Effect.void
      : copyLateDecisions(accountId, table, late, to, from)
    let attempts = 0
    while ((yield* mendTable(accountId, table, to, keep)) > 0) {
      if (++attempts === moveSettings.attemptsMax) {
        return yield* refuse(`${table.name} of ${accountId} in ${to.cell} is written by another process`)
      }
    }
  }
})

/** Compares a table in both cells, and mends what differs: deleted rows, which leave no trace. */
const compared = Effect.fnUntraced(function*<E>(
  { accountId, from, to }: Pick<Move<E>, "accountId" | "from" | "to">,
  table: MovedTable,
  late: LateDecisions | null
) {
  const refuseLate = Effect.gen(function*() {
    if (late === null || table.name !== decisionTable) return
    if ((yield* missingLate(accountId, late, to, from)).length === 0) return
    return yield* refuse(`${accountId} was not moved: decisions came to ${to.cell} late. Run it again`)
  })
  for (let attempts = 0; attempts < moveSettings.attemptsMax; attempts++) {
    const own = yield* rowSum(accountId, table, moveSettings.summedRowsMax)
    const other = yield* inCell(to, accountId)(rowSum(accountId, table, own.sum === null ? 0 : own.rows))
    if (isSame(own, other)) return own
    yield* mendTable(accountId, table, to, refuseLate)
  }
  return yield* refuse(`${table.name} of ${accountId} differs in ${from.cell} and ${to.cell}`)
})

/** Spending by hours, which is derived from decisions when it is asked for first. */
const derivedSpending = ["spend_change", "spend_hour"]

/** Has copies of `to` forget what they hold of an earlier stay. */
const forgetStay = ({ accountId, to }: Pick<Move<never>, "accountId" | "to">) =>
  Effect.forEach(derivedSpending, (table) =>
    to.sql`delete from ${to.sql(table)} where account_id = ${accountId}`).pipe(
    Effect.andThen(announce(accountId)), inCell(to, accountId)
  )

/** Freezes the account, copies what has changed since the open snapshot, and leaves `from`. */
const copyFrozen = Effect.fnUntraced(function*<E>(
  move: Move<E>,
  tables: ReadonlyArray<MovedTable>,
  unseen: string,
  late: LateDecisions | null
) {
  const { accountId, freezeMs, from, to } = move
  const until = yield* freeze(from, accountId, freezeMs)
  if (until === null) return yield* refuse(`${accountId} is moved by another process, or its move was undone`)
  yield* move.say(`${accountId} is frozen in ${from.cell}: feedback is answered 503`)
  const sums = yield* Effect.gen(function*() {
    const entries: Array<readonly [string, Moved["sums"][string]]> = []
    for (const table of tables) {
      if (table.isQueue) yield* mendTable(accountId, table, to)
      else {
        yield* copyChanged(accountId, table, unseen, to)
        entries.push([table.name, yield* compared(move, table, late)])
      }
    }
    return Object.fromEntries(entries)
    // One transaction in `to`: every commit waits for its disk.
  }).pipe(inSnapshot(from, accountId), inCell(to, accountId))
  yield* copyKeys(accountId, from, to)
  yield* forgetStay(move)
  if (!(yield* leave(from, accountId, until))) {
    return yield* refuse(`${accountId} was not moved: copying its last rows took longer than the freeze of `
      + `${freezeMs / 1000} s, and ${from.cell} serves it as before. Run it again, or freeze it longer`)
  }
  return sums
})

/** Copies the account until it has left `from`; yields when it was frozen, and the sums. */
const copyAndLeave = Effect.fnUntraced(function*<E>(
  move: Move<E>,
  tables: ReadonlyArray<MovedTable>,
  late: LateDecisions | null
) {
  const { accountId, from, reader } = move
  // The first copy may take long, and the second is short: as much has changed meanwhile as is copied again.
  yield* inSnapshot(reader, accountId)(copyTables(move, tables, late))
  return yield* Effect.gen(function*() {
    const unseen = yield* oldestUnseen
    yield* copyTables(move, tables, late)
    yield* setPhase(from, accountId, "closing")
    yield* Effect.sleep(moveSettings.closingMs)
    const frozenAtMs = yield* Clock.currentTimeMillis
    return { frozenAtMs, sums: yield* copyFrozen(move, tables, unseen, late) }
  }).pipe(
    inSnapshot(reader, accountId),
    Effect.onError(() => Effect.ignore(thaw(from, accountId)))
  )
})

/**
 * Moves an account. It may be killed at any time and run again. Until the account has left `from`, it is
 * served there as before; then feedback is refused until the rest is done.
 */
export const moveAccount = Effect.fnUntraced(function*<E>(
  move: Move<E>
): Effect.fn.Return<Moved, AccountInUse | E | MoveFailure> {
  const { accountId, from, to } = move
  const tables = yield* Effect.provideService(movedTables, SqlClient.SqlClient, from.sql)
  const decision = yield* decisionsIn(tables)
  const { hasLeft, late } = yield* begin(move, tables)
  const left = hasLeft ? null : yield* copyAndLeave(move, tables, late)
  const openedAtMs = yield* arrive(move, decision)
  const frozenMs = left === null ? null : openedAtMs - left.frozenAtMs
  yield* move.say(`${accountId} is served by ${to.cell}; its rows in ${from.cell} are kept until --confirm`)
  return { sums: left?.sums ?? {}, frozenMs }
})
