/* The file of exported accounts, in JSON lines: for each account a header, its rows, and a seal. */
import { Option, Schema } from "effect"
import { excerptOf } from "../domain/Task.ts"
import { cut, textLimits } from "../domain/text/TextLimits.ts"
import type { AccountColumn, AccountTable } from "./AccountTables.ts"
import { jsonChecker } from "./JsonColumns.ts"

/** Version of the file's headers and lines. In the header, `schema` gives the version of the rows. */
export const fileFormat = 1

/** Approximate maximum length of a line, characters. Chosen. */
export const lineLengthMax = 16_000_000

const AccountName = Schema.String.check(Schema.isPattern(/^[a-z0-9-]{1,64}$/))

/** The first line of a backup, which names the accounts in the file. */
const BackupHeader = Schema.Struct({
  kind: Schema.Literal("sextant-backup"),
  format: Schema.Literal(fileFormat),
  accounts: Schema.Array(AccountName)
})
export type BackupHeader = typeof BackupHeader.Type

export const Header = Schema.Struct({
  kind: Schema.Literal("sextant-account"),
  format: Schema.Literal(fileFormat),
  account: AccountName,
  exported_at: Schema.String,
  service_version: Schema.String,
  postgresql: Schema.String,
  schema: Schema.Array(Schema.String),
  counts: Schema.Record(Schema.String, Schema.Int)
})
export type Header = typeof Header.Type

/** The last line of an account, whose checksum shows if the earlier lines were changed. */
const Seal = Schema.Struct({
  kind: Schema.Literal("end"),
  /** SHA-256 of the account's earlier lines with their line feeds, in hexadecimal. */
  sha256: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
})

export const Line = Schema.Struct({
  kind: Schema.String,
  /** Number of migrations of the exporting database's schema. */
  version: Schema.Int,
  row: Schema.Record(Schema.String, Schema.Unknown)
})
export type Line = typeof Line.Type

export interface Section {
  readonly account: string
  readonly counts: Header["counts"]
  readonly sha256: string
}

const Timestamp = Schema.String.check(Schema.isPattern(
  /^(-?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?([+-]\d\d:\d\d|Z)|-?infinity)$/
))
const Uuid = Schema.String.check(Schema.isPattern(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/))

/** Schemas by the type of a column. Values of other types, such as `jsonb`, pass unchecked by type. */
const typeSchemas: Readonly<Record<string, Schema.Codec<unknown, unknown>>> = {
  text: Schema.String,
  uuid: Uuid,
  boolean: Schema.Boolean,
  smallint: Schema.Int,
  integer: Schema.Int,
  bigint: Schema.Int,
  real: Schema.Finite,
  "double precision": Schema.Finite,
  "timestamp with time zone": Timestamp,
  date: Schema.String.check(Schema.isPattern(/^\d{4,6}-\d\d-\d\d$/)),
  bytea: Schema.String.check(Schema.isPattern(/^\\x([0-9a-f]{2})*$/)),
  "text[]": Schema.Array(Schema.String),
  "uuid[]": Schema.Array(Uuid)
}

const columnSchema = ({ hasDefault, isNullable, type }: AccountColumn) => {
  const own = typeSchemas[type] ?? Schema.Unknown
  const value = isNullable ? Schema.NullOr(own) : own
  return isNullable || hasDefault ? Schema.optionalKey(value) : value
}

/** Functions that cut texts, by table and column, because texts in a file may exceed the limits. */
const limits: Readonly<Record<string, Readonly<Record<string, (text: string) => string>>>> = {
  decision: { task_excerpt: excerptOf },
  observation_text: { task: excerptOf },
  step_reward: {
    step_name: (text) => cut(text, textLimits.stepName),
    rationale: (text) => cut(text, textLimits.stepProse),
    directive_hint: (text) => cut(text, textLimits.stepProse)
  },
  lesson: {
    content: (text) => cut(text, textLimits.lessonContent),
    error_headline: (text) => cut(text, textLimits.lessonContent)
  }
}

type AccountRow = Line["row"]

interface FittingRow {
  readonly row: AccountRow
  readonly unknown: ReadonlyArray<string>
}

/**
 * For a valid row, the reader returns the row with long texts shortened, and names the columns that the
 * table lacks. For an invalid row, the reader returns the problem.
 */
export const rowReader = ({ columns, name }: AccountTable) => {
  const taken = columns.filter(({ isGenerated }) => !isGenerated)
  const decode = Schema.decodeUnknownResult(
    Schema.Struct(Object.fromEntries(taken.map((column) => [column.name, columnSchema(column)])))
  )
  const known = new Set(columns.map((column) => column.name))
  const cuts = Object.entries(limits[name] ?? {})
  const jsonProblem = jsonChecker(name)
  return (row: AccountRow): FittingRow | { readonly problem: string } => {
    const unknown = Object.keys(row).filter((column) => !known.has(column))
    const decoded = decode(row)
    if (decoded._tag === "Failure") return { problem: `${name}: ${decoded.failure.message}` }
    const problem = jsonProblem(row)
    if (problem !== null) return { problem: `${name}: ${problem}` }
    const values: Record<string, unknown> = { ...decoded.success }
    for (const [column, limited] of cuts) {
      const value = values[column]
      if (typeof value === "string") values[column] = limited(value)
    }
    return { row: values, unknown }
  }
}

const decodeLine = Schema.decodeUnknownOption(Schema.fromJsonString(Line))
const decodeBackup = Schema.decodeUnknownOption(Schema.fromJsonString(BackupHeader))
const decodeHeader = Schema.decodeUnknownOption(Schema.fromJsonString(Header))
const decodeSeal = Schema.decodeUnknownOption(Schema.fromJsonString(Seal))

/** Returns the row's line that a text contains; null if the text is no row of an export. */
export const lineIn = (text: string): Line | null => Option.getOrNull(decodeLine(text))

export const backupIn = (text: string): BackupHeader | null => Option.getOrNull(decodeBackup(text))
export const headerIn = (text: string): Header | null => Option.getOrNull(decodeHeader(text))
export const sealIn = (text: string): typeof Seal.Type | null => Option.getOrNull(decodeSeal(text))
