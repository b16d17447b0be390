/* The end of a move: requests go to the other cell, which takes feedback and gets the last decisions. */
import { Clock, Effect } from "effect"
import { copyLateDecisions, type LateDecisions, lateSince } from "./CopyRows.ts"
import { type Move, refuse } from "./Move.ts"
import type { MovedTable } from "./MovedTables.ts"
import { moveSettings } from "./MoveSettings.ts"
import { readState, setPhase } from "./MoveState.ts"

/**
 * Sends requests to `to`, accepts feedback again, and copies the decisions that `from` still writes; yields
 * when feedback was accepted. One for a decision that may still come is refused until all are there.
 */
export const arrive = Effect.fnUntraced(function*<E>(
  { accountId, drainMs, from, route, say, to }: Move<E>,
  decision: MovedTable
) {
  const left = yield* readState(from, accountId)
  if (left?.phase !== "left") return yield* refuse(`${accountId} has not left ${from.cell}`)
  const createdSince = new Date(left.frozenAt.getTime() - moveSettings.lateAgeMs)
  const late: LateDecisions = { ...lateSince(left.frozenAt), createdSince }
  yield* route
  const routedAtMs = yield* Clock.currentTimeMillis
  yield* say(`requests of ${accountId} go to ${to.cell}`)
  yield* copyLateDecisions(accountId, decision, late, from, to)
  yield* setPhase(to, accountId, "draining")
  const openedAtMs = yield* Clock.currentTimeMillis
  let sayAfterMs: number = moveSettings.drainSaidAfterMs
  for (;;) {
    const overdueMs = (yield* Clock.currentTimeMillis) - routedAtMs - drainMs
    const copied = yield* copyLateDecisions(accountId, decision, late, from, to)
    if (overdueMs >= 0 && copied === 0) break
    if (overdueMs >= moveSettings.drainMaxMs) {
      return yield* refuse(`requests of ${accountId} still reach ${from.cell}: mend the balancer's map, and `
        + "run this again")
    }
    if (overdueMs >= sayAfterMs) {
      yield* say(`${from.cell} still answers requests of ${accountId}`)
      sayAfterMs += moveSettings.drainSaidEveryMs
    }
    yield* Effect.sleep(moveSettings.drainPauseMs)
  }
  yield* setPhase(to, accountId, "arrived")
  return openedAtMs
})
