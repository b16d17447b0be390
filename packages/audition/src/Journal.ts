/*
 * The journal of an audition: JSON lines that are only appended. A reservation is written before each call
 * and a result after the call, so that a resumed audition knows the possible spending of a killed run.
 */
import { Effect, Option, Schema, type Scope } from "effect"
import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs"

/** First line of a journal. A resumed audition must have the same prompts, models, grader and token limit. */
export const Header = Schema.Struct({
  audition: Schema.Literal(1),
  prompts: Schema.String,
  models: Schema.Array(Schema.String),
  gradedBy: Schema.String,
  outputTokensMax: Schema.Int
})
export type Header = typeof Header.Type

/** A reservation for a cell, USD. Reservations of a cell add up, and a negative amount frees money. */
const Reservation = Schema.Struct({
  cell: Schema.Int, prompt: Schema.Int, model: Schema.Int, reservedUsd: Schema.Finite
})

export const leftOutReasons = {
  rate_limited: "the provider asked to wait (429), more often than was tried again",
  outage: "the provider was out or could not be reached",
  refused: "a content filter refused",
  rejected: "the provider rejected the request, for example as too long",
  unauthorized: "the provider did not accept the key",
  budget: "a further attempt had no room in the budget",
  ungraded: "the judge or the gate said no verdict"
} as const
export type LeftOut = keyof typeof leftOutReasons

/** Reasons that may be over in a later run, which then asks the prompt again. */
export const passingReasons: ReadonlyArray<LeftOut> = ["rate_limited", "outage", "unauthorized", "budget"]

/** The result of a cell, which is a model's answer to one prompt. */
export const CellResult = Schema.Struct({
  cell: Schema.Int,
  prompt: Schema.Int,
  model: Schema.Int,
  /** End of the cell, ms since 1970. */
  at: Schema.Int,
  /** Total cost, USD, including failed attempts and the judge. */
  spentUsd: Schema.Finite,
  /** Cost of the judge, USD. */
  judgeUsd: Schema.Finite,
  /** Cost of the answer alone, USD; null without an answer. */
  costUsd: Schema.NullOr(Schema.Finite),
  inputTokens: Schema.NullOr(Schema.Int),
  outputTokens: Schema.NullOr(Schema.Int),
  latencyMs: Schema.NullOr(Schema.Finite),
  /** Grade of the answer, in [0, 1]; null if the answer is missing or has no grade. */
  quality: Schema.NullOr(Schema.Finite),
  isCutOff: Schema.Boolean,
  leftOut: Schema.NullOr(Schema.Literals(Object.keys(leftOutReasons) as ReadonlyArray<LeftOut>))
})
export type CellResult = typeof CellResult.Type

/** A journal's line after a clear end: the value of a success, USD, or null if success alone counted. */
const Clear = Schema.Struct({ clearAtUsd: Schema.NullOr(Schema.Finite) })

export class UnusableJournal extends Schema.TaggedError<UnusableJournal>()("UnusableJournal", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.detail}`
  }
}

export interface Kept {
  readonly results: ReadonlyArray<CellResult>
  /** Money reserved for answers that have no result in the journal, USD. */
  readonly unfinishedUsd: number
  readonly cells: number
  /** Values of a success, USD, at which an earlier run found a clear best model; null for success alone. */
  readonly clearAtUsd: ReadonlyArray<number | null>
}

const readHeader = Schema.decodeUnknownOption(Schema.fromJsonString(Header))
const readReservation = Schema.decodeUnknownOption(Schema.fromJsonString(Reservation))
const readClear = Schema.decodeUnknownOption(Schema.fromJsonString(Clear))
const readResult = Schema.decodeUnknownOption(Schema.fromJsonString(CellResult))

/**
 * Reads a journal; returns a message if it is not of this audition. A torn line is skipped: without a whole
 * reservation no call was made, and without a whole result the reservation counts.
 */
export const readJournal = (text: string, header: Header): Kept | string => {
  const lines = text.split("\n")
  const found = Option.getOrNull(readHeader(lines[0] ?? ""))
  if (found === null) return "it is no journal of an audition"
  const same: ReadonlyArray<readonly [keyof Header, string]> = [
    ["prompts", "prompts"], ["models", "models"], ["gradedBy", "judge or gate"],
    ["outputTokensMax", "--max-output-tokens"]
  ]
  const other = same.find(([name]) => JSON.stringify(found[name]) !== JSON.stringify(header[name]))
  if (other !== undefined) return `it is of another audition, with other ${other[1]}; name another --journal`
  const reserved = new Map<number, number>()
  const results = new Map<number, CellResult>()
  const clearAtUsd: Array<number | null> = []
  for (const line of lines.slice(1)) {
    const result = readResult(line)
    if (Option.isSome(result)) {
      results.set(result.value.cell, result.value)
      continue
    }
    const reservation = readReservation(line)
    if (Option.isSome(reservation)) {
      const { cell, reservedUsd } = reservation.value
      reserved.set(cell, (reserved.get(cell) ?? 0) + reservedUsd)
    } else clearAtUsd.push(...Option.toArray(readClear(line)).map((row) => row.clearAtUsd))
  }
  const unfinished = [...reserved].filter(([cell]) => !results.has(cell))
  return {
    results: [...results.values()], clearAtUsd,
    unfinishedUsd: unfinished.reduce((sum, [, usd]) => sum + usd, 0),
    cells: [...reserved.keys(), ...results.keys()].reduce((cells, cell) => Math.max(cells, cell + 1), 0)
  }
}

export interface Journal extends Kept {
  readonly path: string
  readonly reserve: (row: typeof Reservation.Type) => Effect.Effect<void, UnusableJournal>
  readonly settle: (row: CellResult) => Effect.Effect<void, UnusableJournal>
  readonly conclude: (row: typeof Clear.Type) => Effect.Effect<void, UnusableJournal>
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

/** Writes the lock file with this process id. Throws if another living process has the lock. */
const hold = (path: string): void => {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx", mode: 0o600 })
  } catch {
    const pid = Number(readFileSync(path, "utf8"))
    if (pid > 0 && pid !== process.pid && isRunning(pid)) {
      throw new Error(`process ${pid} is running this audition`)
    }
    writeFileSync(path, String(process.pid), { mode: 0o600 })
  }
}

/** Opens or creates a journal. Only its owner can read a journal that this function creates. */
export const openJournal = (
  path: string,
  header: Header
): Effect.Effect<Journal, UnusableJournal, Scope.Scope> => {
  const attempt = <A>(run: () => A) =>
    Effect.try({
      try: run,
      catch: (cause) =>
        new UnusableJournal({ path, detail: cause instanceof Error ? cause.message : String(cause) })
    })
  const lock = `${path}.lock`
  const opened = Effect.acquireRelease(
    attempt(() => {
      hold(lock)
      return openSync(path, "a+", 0o600)
    }),
    (file) =>
      Effect.sync(() => {
        closeSync(file)
        rmSync(lock, { force: true })
      })
  )
  return Effect.flatMap(opened, (file) =>
    attempt((): Journal => {
      const text = readFileSync(path, "utf8")
      const add = (row: object): void => {
        writeSync(file, `${JSON.stringify(row)}\n`)
        fdatasyncSync(file)
      }
      if (text === "") add(header)
      else if (!text.endsWith("\n")) writeSync(file, "\n")
      const kept = readJournal(text === "" ? JSON.stringify(header) : text, header)
      if (typeof kept === "string") throw new Error(kept)
      const write = (row: object) => attempt(() => add(row))
      return { ...kept, path, reserve: write, settle: write, conclude: write }
    }))
}
