/* Checks the statement of a month against an export of its account. */
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { Statement } from "../domain/reports/Statement.ts"
import { AccountId } from "../domain/Scope.ts"
import { messageOf } from "../domain/text/ErrorMessage.ts"
import { escapedLine } from "../domain/text/HiddenCharacters.ts"
import { nameOf, quoted } from "../domain/text/Text.ts"
import { counted } from "../domain/text/Words.ts"
import { headerIn, type Header, lineIn } from "../privacy/AccountFile.ts"
import type { OnRows } from "../privacy/ExportAccount.ts"
import { importAccount } from "../privacy/ImportAccount.ts"
import { readLines } from "../privacy/ReadLines.ts"
import { type CheckedPart, checkedParts, firstDayApart } from "../reports/savings/Statement.ts"
import * as Layers from "./Layers.ts"
import { refusal } from "./Refusal.ts"

const statementOfFile = Effect.fnUntraced(function*(path: string) {
  const text = yield* Effect.try({
    try: () => readFileSync(path, "utf8"),
    catch: (cause) => refusal(`${path} cannot be read: ${messageOf(cause)}`, cause)
  })
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) => refusal(`${path} is no JSON: write the statement with --json`, cause)
  })
  const decoded = yield* Schema.decodeUnknownEffect(Statement)(json).pipe(
    Effect.mapError((cause) =>
      refusal(`${path} is no statement that this version can check: ${cause.message}`, cause))
  )
  // The file's own JSON is compared with the export, because decoding would drop values that nothing checks.
  return { decoded, json: json as typeof Statement.Encoded }
})

/** For each kind of row from which figures come, the column that identifies a row. */
const names: ReadonlyMap<string, string> = new Map([
  ["decision", "recommendation_id"], ["outcome", "recommendation_id"], ["report", "revision"]
])

/** Reads the header of an export. Refuses an export that repeats a row, of which an import reads one copy. */
const headerOf = Effect.fnUntraced(function*(path: string) {
  const read = async () => {
    let header: Header | null = null
    const seen = new Set<string>()
    for await (const batch of readLines(path)) {
      for (const { text } of batch) {
        header ??= headerIn(text)
        if (header === null) return { header, twice: null }
        // Lines are parsed as an import parses them, because the same row may be written in many ways.
        const line = lineIn(text)
        const column = line === null ? undefined : names.get(line.kind)
        if (line === null || column === undefined) continue
        const key = `${line.kind} ${line.row[column]}`
        if (seen.has(key)) return { header, twice: key }
        seen.add(key)
      }
    }
    return { header, twice: null }
  }
  const { header, twice } = yield* Effect.tryPromise({
    try: read,
    catch: (cause) => refusal(`${path} cannot be read: ${messageOf(cause)}`, cause)
  })
  if (header === null) {
    return yield* refusal(`${path} is no export of an account: \`sextant account export\` writes one`)
  }
  return twice === null ? header : yield* refusal(`The export holds a row twice: ${escapedLine(twice)}`)
})

const statementOfExport = (path: string, { account }: Header, month: string, report: OnRows) =>
  Effect.gen(function*() {
    yield* importAccount({ path, accountId: null, isForced: false }, report, Layers.rowForms)
    const database = yield* Effect.context<SqlClient.SqlClient>()
    return yield* Layers.statement(
      { accountId: AccountId.make(account), month }, Layer.succeedContext(database)
    )
  })

const written = (value: unknown): string =>
  value === undefined ? "nothing" : typeof value === "string" ? quoted(value) : JSON.stringify(value)

/** Explains why an export may differ from a correct statement; an empty text if no reason is known. */
const excuseOf = (stated: Statement, found: Statement, exportedAt: string): string => {
  const later = found.reports.revision - stated.reports.revision
  const lost = found.reports.nMissing - stated.reports.nMissing
  if (lost > 0) {
    const were = lost === 1 ? "was" : "were"
    return ` ${counted(lost, "report")} of the month ${were} erased since, or dropped by retention.`
  }
  if (later > 0) {
    return ` The account took ${counted(later, "report")} between the statement (${stated.madeAt}) and the`
      + ` export (${exportedAt}): compare it with an export of its own time.`
  }
  return later < 0 ? ` The export (${exportedAt}) is older than the statement (${stated.madeAt}).` : ""
}

interface CheckedStatement {
  readonly stated: Statement
  readonly parts: ReadonlyArray<CheckedPart>
  /** Number of rows that the statement's hash covers, as found in the export. */
  readonly n: number
  /** First difference between the statements, and a reason if one is known; null if they are the same. */
  readonly problem: string | null
}

/**
 * Imports an export into the empty database, makes the statement again from it, and compares both statements.
 * The check fails, for example, if a file cannot be read or the files belong to different accounts.
 */
export const checkStatement = Effect.fnUntraced(function*(file: string, exported: string, report: OnRows) {
  const { decoded: stated, json } = yield* statementOfFile(file)
  const header = yield* headerOf(exported)
  if (header.account !== stated.account) {
    const named = nameOf(stated.account)
    return yield* refusal(`The statement is of ${named}, and the export of ${header.account}`)
  }
  const found = yield* statementOfExport(exported, header, stated.month, report)
  const parts = checkedParts(json, yield* Schema.encodeEffect(Statement)(found))
  const first = parts.find((each) => each.first !== null)?.first ?? null
  const day = firstDayApart(stated.rows, found.rows)
  const firstDay = day === null ? ""
    : ` The rows of ${day.day} differ first: ${counted(day.stated, "decision")}`
    + ` in the statement, ${day.found} in the export.`
  const checked: CheckedStatement = {
    stated, parts, n: found.rows.n,
    problem: first === null ? null : escapedLine(`${first.path} is ${written(first.stated)} there, and`
      + ` ${written(first.found)} by the export.${firstDay}${excuseOf(stated, found, header.exported_at)}`)
  }
  return checked
})
