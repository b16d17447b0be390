/* Writes the exported votes of labels, which had a table of their own, into the rows of their outcomes. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { rowSet } from "../../sql/RowSet.ts"

/** The votes of a label by their columns; a label has the id of its outcome. */
interface VotesColumns {
  readonly lane: string
  readonly reinforcement_id: string
  readonly voted_up?: ReadonlyArray<string>
  readonly voted_down?: ReadonlyArray<string>
}

const votesColumns = { lane: "text", observationId: "uuid", votedUp: "uuid[]", votedDown: "uuid[]" } as const

/** Writes them to outcomes whose labels have none, inside `withAccount`; yields to how many. */
const importVotes = Effect.fnUntraced(function*(
  accountId: AccountId,
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  // An import has checked the columns by their schemas.
  const votes = (rows as unknown as ReadonlyArray<VotesColumns>).map((row) => ({
    lane: row.lane,
    observationId: row.reinforcement_id,
    votedUp: row.voted_up ?? [],
    votedDown: row.voted_down ?? []
  }))
  const written = yield* sql`update observation o set voted_up = r.voted_up, voted_down = r.voted_down
    from ${rowSet(sql, "r", votesColumns, votes)}
    where o.account_id = ${accountId} and o.lane = r.lane and o.observation_id = r.observation_id
      and o.voted_up is null and o.voted_down is null
    returning true as written`
  return written.length
})

/** By table of an earlier version, for an import. */
export const rowForms = { reinforcement: { write: importVotes } }
