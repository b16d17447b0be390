/* The functions of the database, from the folder `functions`. A process brings them up to date. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { runFile, sqlText } from "./SqlFile.ts"

/** `version` rises by 1 with every change of a file in `functions`. */
export interface Functions {
  readonly version: number
  readonly files: ReadonlyArray<string>
}

/** A test fails if the text of the functions changes but the version stays the same. */
export const functions: Functions = {
  version: 30,
  files: ["access", "decisions", "health", "reports", "spending"]
}

/** Returns the first 16 hexadecimal digits of the SHA-256 of the text of `files`. */
export const checksumOf = ({ files }: Functions): string =>
  createHash("sha256").update(files.map((file) => sqlText(`functions/${file}`)).join("\n")).digest("hex")
    .slice(0, 16)

const table = "sextant_functions"

/** True if the database has no functions, an older version of them, or other text of the same version. */
export const functionsAreOlder = Effect.fnUntraced(function*(
  own: Functions
): Effect.fn.Return<boolean, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const [state] = yield* sql<{ readonly exists: boolean }>`select to_regclass(${table}) is not null as exists`
  if (state?.exists !== true) return true
  const [held] = yield* sql<{ readonly version: number; readonly checksum: string }>`
    select version, checksum from ${sql(table)}`
  return held === undefined || held.version < own.version
    || held.version === own.version && held.checksum !== checksumOf(own)
})

/** Yields true if it applied functions. The caller holds the transaction and migrations' lock. */
export const applyFunctions = Effect.fnUntraced(function*(
  own: Functions
): Effect.fn.Return<boolean, SqlError.SqlError, SqlClient.SqlClient> {
  if (!(yield* functionsAreOlder(own))) return false
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(own.files, (file) => runFile(`functions/${file}`), { discard: true })
  yield* sql`create table if not exists ${sql(table)} (version integer not null, checksum text not null)`
  yield* sql`grant select on ${sql(table)} to sextant_app, sextant_service`
  yield* sql`delete from ${sql(table)}`
  yield* sql`insert into ${sql(table)} (version, checksum) values (${own.version}, ${checksumOf(own)})`
  return true
})
