import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { layerEmbedded } from "../../src/postgres/embedded/EmbeddedDatabase.ts"

/**
 * A process to kill. It opens the embedded database in the given directory and prints the rows in it. Then it writes
 * rows, and prints each once the database has acknowledged it.
 */
const [directory = ""] = process.argv.slice(2)

const program = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table if not exists written (id integer primary key)`
  const rows = yield* sql<{ readonly id: number }>`select id from written order by id`
  console.log(`found ${JSON.stringify(rows.map(({ id }) => id))}`)
  for (let id = (rows.at(-1)?.id ?? 0) + 1;; id++) {
    yield* sql`insert into written values (${id})`
    console.log(`wrote ${id}`)
  }
})

await Effect.runPromise(Effect.provide(program, layerEmbedded(directory)))
