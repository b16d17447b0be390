// The findings of `sextant doctor --deep`: whether every table and index can be read, and which cannot.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { fail, type Check, ok, warn } from "./Check.ts"
import { amcheck, readRelation, type Relation, relations } from "./Relations.ts"

/** Findings of damage at most; beyond them the disk is the finding. */
const damagedMax = 50

const repairOf = ({ kind, name }: Relation): string =>
  kind === "i"
    ? `reindex index ${name} if it is the only one; else restore a backup (docs/backup.md)`
    : "look after the disk, and restore a backup on another one (docs/backup.md)"

/** Whether the server notices pages that changed on the disk, and whether it has noticed any. */
const checksums = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly isOn: boolean; readonly failures: number }>`
    select current_setting('data_checksums') = 'on' as "isOn",
      (select coalesce(sum(checksum_failures), 0)::float8 from pg_stat_database) as failures`
  if (row?.isOn !== true) {
    return [warn("checksums", "off: a page that changed on the disk may go unnoticed",
      "stop the server and run pg_checksums --enable")]
  }
  return [row.failures > 0
    ? warn("checksums", `${row.failures} pages have failed theirs since statistics began`,
      "look after the disk; see below for what can no longer be read")
    : ok("checksums", "on, and none has failed")]
})

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

/** Relations that were not read, by the reason. */
const skippedFindings = (skipped: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<Check> =>
  [...skipped].map(([why, names]) => {
    const rest = names.length > 3 ? ` and ${names.length - 3} more` : ""
    const shown = `${names.slice(0, 3).join(", ")}${rest}`
    return warn("unread", `${shown}: ${why}`, 
      "run it as a superuser, on a server that has the extension amcheck")
  })

/** Reads every table and index of the database once. Changes nothing, and holds no more than its findings. */
export const deep = (onProgress: (doneBytes: number, totalBytes: number) => void) =>
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
      if (outcome.is === "read") read++
      else if (outcome.is === "skipped") {
        skipped.set(outcome.why, [...skipped.get(outcome.why) ?? [], relation.name])
      } else {
        damages++
        if (damages <= damagedMax) {
          const says = `${relation.name}: ${outcome.complaints.join("; ")}`
          damaged.push(fail("damaged", says, repairOf(relation)))
        }
      }
    }
    const how = found === null ? "without amcheck" : "with amcheck"
    const more = damages - damagedMax
    const rest = more > 0 ? [fail("damaged", `${more} more`, "restore a backup (docs/backup.md)")] : []
    const findings: ReadonlyArray<Check> = [
      ...yield* checksums,
      ...damages > 0
        ? damaged
        : [ok("tables and indexes", `${read} read ${how}, ${megabytes(totalBytes)}`)],
      ...rest,
      ...skippedFindings(skipped)
    ]
    return findings
  })
