/*
 * Sorts the rows of a log by time with bounded memory: sorted runs in one private file, which has no name
 * while it is used, and their merge.
 */
import { Effect, Schema, type Scope } from "effect"
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { backtestSettings } from "./BacktestSettings.ts"
import { decodeRow, encodeRow, lengthAt, type LogRow, orderAt } from "./LogRow.ts"

/** The private file could not be written or read, for example because the disk is full. */
export class SpoolFailed extends Schema.TaggedError<SpoolFailed>()("SpoolFailed", {
  folder: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `The rows could not be sorted in ${this.folder}: ${why}. TMPDIR names another folder.`
  }
}

interface Order {
  readonly atMs: number
  readonly number: number
}

const byOrder = (a: Order, b: Order): number => a.atMs - b.atMs || a.number - b.number

/** A sorted run: where it begins and ends in the file, and its first row's order. */
interface Run extends Order {
  readonly from: number
  readonly to: number
}

/** Rows of one run, read page by page. */
class RunReader implements Order {
  atMs: number
  number: number
  readonly #file: number
  readonly #run: Run
  #page = new Uint8Array(0)
  #pageFrom: number
  #at = 0

  constructor(file: number, run: Run) {
    this.#file = file
    this.#run = run
    this.#pageFrom = run.from
    this.atMs = run.atMs
    this.number = run.number
  }

  #read(from: number, bytes: number): void {
    const page = new Uint8Array(Math.min(bytes, this.#run.to - from))
    let read = 0
    while (read < page.length) {
      const count = readSync(this.#file, page, read, page.length - read, from + read)
      if (count === 0) throw new Error("the file of the sorted rows is shorter than it was written")
      read += count
    }
    this.#page = page
    this.#pageFrom = from
    this.#at = 0
  }

  /** The row that is next, whole in the page; null at the run's end. */
  next(): LogRow | null {
    const from = this.#pageFrom + this.#at
    if (from >= this.#run.to) return null
    const viewOf = () => new DataView(this.#page.buffer)
    let length = lengthAt(viewOf(), this.#at)
    if (length === 0 || this.#at + length > this.#page.length) {
      this.#read(from, Math.max(backtestSettings.pageBytes, length))
      length = lengthAt(viewOf(), 0)
      if (length > this.#page.length) this.#read(from, length)
    }
    const row = decodeRow(this.#page, this.#at)
    this.#at += length
    return row
  }
}

/** A reader and the row that it is at. */
interface Head extends Order {
  readonly reader: RunReader
  readonly row: LogRow | null
}

/** Puts the first head of a heap in its place. */
const sink = (heap: Array<Head>): void => {
  for (let at = 0;;) {
    let least = at
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < heap.length && byOrder(heap[child]!, heap[least]!) < 0) least = child
    }
    if (least === at) return
    const moved = heap[at]!
    heap[at] = heap[least]!
    heap[least] = moved
    at = least
  }
}

/** Rows in the order of time, and of one moment in the order in which they were read. */
function* merged(file: number, runs: ReadonlyArray<Run>): Generator<LogRow, void> {
  // A run is opened when its first row is due: of a log that is in order one is open at a time. Sorted heads
  // are a heap.
  const heap: Array<Head> = runs.toSorted(byOrder).map((run) =>
    ({ atMs: run.atMs, number: run.number, reader: new RunReader(file, run), row: null }))
  for (let [head] = heap; head !== undefined; [head] = heap) {
    if (head.row !== null) yield head.row
    const { reader } = head
    const row = reader.next()
    if (row === null) {
      const last = heap.pop()
      if (heap.length === 0 || last === undefined) return
      heap[0] = last
    } else heap[0] = { atMs: row.atMs, number: row.number, reader, row }
    sink(heap)
  }
}

/** Rows that are added in any order and read in the order of time. */
export class Spool {
  readonly folder: string
  readonly #file: number
  readonly #runs: Array<Run> = []
  readonly #room = new Uint8Array(backtestSettings.runBytes)
  #used = 0
  #starts: Array<Order & { readonly at: number; readonly length: number }> = []
  #written = 0
  rows = 0

  constructor(folder: string, file: number) {
    this.folder = folder
    this.#file = file
  }

  /** Bytes that the rows take on the disk, once they are sorted. */
  get bytes(): number {
    return this.#written
  }

  #write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#written + done)
    }
    this.#written += bytes.length
  }

  #endRun(): void {
    const starts = this.#starts.sort(byOrder)
    const [first] = starts
    if (first === undefined) return
    const sorted = new Uint8Array(this.#used)
    let to = 0
    for (const { at, length } of starts) {
      sorted.set(this.#room.subarray(at, at + length), to)
      to += length
    }
    const from = this.#written
    this.#write(sorted)
    this.#runs.push({ atMs: first.atMs, number: first.number, from, to: this.#written })
    this.#starts = []
    this.#used = 0
  }

  /** Adds a row; throws when the file cannot be written. */
  add(row: LogRow): void {
    const bytes = encodeRow(row)
    if (this.#used + bytes.length > this.#room.length) this.#endRun()
    this.#room.set(bytes, this.#used)
    const [atMs, number] = orderAt(new DataView(bytes.buffer), 0)
    this.#starts.push({ atMs, number, at: this.#used, length: bytes.length })
    this.#used += bytes.length
    this.rows++
  }

  /** All rows in the order of time; throws when the file cannot be read. Nothing is added afterwards. */
  read(): Generator<LogRow, void> {
    this.#endRun()
    return merged(this.#file, this.#runs)
  }
}

/**
 * A spool in a folder of its own that only this user can read. The name of its file is removed while it is
 * open, so that its bytes are freed however the process ends; where a system does not allow that, at the end.
 */
export const makeSpool: Effect.Effect<Spool, SpoolFailed, Scope.Scope> = Effect.acquireRelease(
  Effect.suspend(() => {
    const parent = tmpdir()
    return Effect.try({
      try: () => {
        const folder = mkdtempSync(join(parent, "sextant-backtest-"))
        const remove = () => rmSync(folder, { recursive: true, force: true })
        try {
          const file = openSync(join(folder, "rows"), "wx+", 0o600)
          if (process.platform !== "win32") remove()
          return { spool: new Spool(parent, file), file, remove }
        } catch (cause) {
          remove()
          throw cause
        }
      },
      catch: (cause) => new SpoolFailed({ folder: parent, cause })
    })
  }),
  ({ file, remove }) =>
    Effect.sync(() => {
      closeSync(file)
      remove()
    })
).pipe(Effect.map(({ spool }) => spool))
