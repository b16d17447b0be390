/* The checks of `sextant doctor --deep`: whether every table and index can be read, and which cannot. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { fail, type Check, ok, warn } from "./Check.ts"
import { amcheck, readRelation, type Relation, relations } from "./Relations.ts"

/** Most damaged relations that are listed, count. */
const damagedMax = 50

const repairOf = ({ kind, name }: Relation): string =>
  kind === "i"
    ? `reindex index ${name} if it is the only one; else restore a backup (docs/backup.md)`
    : "check the disk, and restore a backup on another one (docs/backup.md)"

/** Whether the server verifies the checksums of pages, and whether any has failed. */
const checksums = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly isOn: boolean; readonly failures: number }>`
    select current_setting('data_checksums') = 'on' as "isOn",
      (select coalesce(sum(checksum_failures), 0)::float8 from pg_stat_database) as failures`
  if (row?.isOn !== true) {
    return [warn("checksums", "off: damaged pages on the disk may go unnoticed",
      "stop the server and run pg_checksums --enable")]
  }
  return [row.failures > 0
    ? warn("checksums", `${row.failures} failed since statistics began`,
      "check the disk; the lines below name what can no longer be read")
    : ok("checksums", "on, and none has failed")]
})

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

/** A warning for each reason why relations were not read. */
const skippedChecks = (skipped: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<Check> =>
  [...skipped].map(([why, names]) => {
    const rest = names.length > 3 ? ` and ${names.length - 3} more` : ""
    const shown = `${names.slice(0, 3).join(", ")}${rest}`
    return warn("unread", `${shown}: ${why}`,
      "run the command as a superuser, on a server with the extension amcheck")
  })

/**
 * Reads every table and index of the database once. Changes nothing; memory does not grow with the database.
 */
export const deepChecks = (onProgress: (doneBytes: number, totalBytes: number) => void) =>
  Effect.gen(function*() {
    const all = yield* relations
    const found = yield* amcheck
    const totalBytes = all.reduce((total, { bytes }) => total + bytes, 0)
    const skipped = new Map<string, ReadonlyArray<string>>()
    const damaged: Array<Check> = []
    let doneBytes = 0
    let [read, damages] = [0, 0]
    for (const relation of all) {
      const outcome = yield* readRelation(relation, found, (bytes) => {
        doneBytes += bytes
        onProgress(doneBytes, totalBytes)
      })
      if (outcome.kind === "read") read++
      else if (outcome.kind === "skipped") {
        skipped.set(outcome.why, [...skipped.get(outcome.why) ?? [], relation.name])
      } else {
        damages++
        if (damages <= damagedMax) {
          const detail = `${relation.name}: ${outcome.complaints.join("; ")}`
          damaged.push(fail("damaged", detail, repairOf(relation)))
        }
      }
    }
    const how = found === null ? "without amcheck" : "with amcheck"
    const more = damages - damagedMax
    const rest = more > 0 ? [fail("damaged", `${more} more`, "restore a backup (docs/backup.md)")] : []
    const checks: ReadonlyArray<Check> = [
      ...yield* checksums,
      ...damages > 0
        ? damaged
        : [ok("tables and indexes", `${read} read ${how}, ${megabytes(totalBytes)}`)],
      ...rest,
      ...skippedChecks(skipped)
    ]
    return checks
  })
