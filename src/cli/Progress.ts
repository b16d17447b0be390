/*
 * Progress of long work on standard error: one line that is overwritten on a terminal, few lines in a file or
 * a pipe.
 */
import { Effect } from "effect"

/** The stream that progress is written to. */
interface ProgressStream {
  readonly isTTY?: boolean
  readonly write: (text: string) => unknown
}

interface ProgressLine {
  /**
   * Reports what is done, in bytes or the line's own unit, and its total where that is known; and the rows in
   * it, where they are counted.
   */
  readonly report: (done: number, total: number | null, rows?: number) => void
  /** Clears the line. */
  readonly end: () => void
}

/** Pauses between two lines, ms: on a terminal, and where each line stays. Chosen. */
const terminalMs = 200
const plainMs = 10_000

/** Elapsed time before which the remaining time is not estimated, ms. Chosen. */
const steadyMs = 1_000

/** What progress is counted in: its name, and how a number of them is written. */
interface ProgressUnit {
  readonly name: string
  readonly of: (count: number) => string
}

const megabytes: ProgressUnit = { name: "MB", of: (bytes) => (bytes / 1e6).toFixed(1) }

/** Calls of a model, one by one. */
export const callsUnit: ProgressUnit = { name: "calls", of: (calls) => String(Math.round(calls)) }

/** Outcomes of memory, one by one. */
export const outcomesUnit: ProgressUnit = { ...callsUnit, name: "outcomes" }

/** Rows of tables, one by one. */
export const rowsUnit: ProgressUnit = { ...callsUnit, name: "rows" }

const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`

/**
 * `Writing: 31.2 of 64.0 MB, 40.1 MB/s, 1 s left`. A total that was exceeded is left out. Where rows are
 * counted, their count and rate are shown in place of the unit's rate.
 */
export const progressLine = (
  label: string,
  done: number,
  total: number | null,
  elapsedMs: number,
  { name, of }: ProgressUnit = megabytes,
  rows: number | null = null
): string => {
  const known = total !== null && total >= done ? total : null
  const perSecond = done / Math.max(elapsedMs, 1) * 1_000
  const left = known === null || elapsedMs < steadyMs || perSecond === 0
    ? ""
    : `, ${duration((known - done) / perSecond)} left`
  const whole = known === null ? "" : ` of ${of(known)}`
  const rate = rows === null
    ? `${of(perSecond)} ${name}/s`
    : `${rows} rows, ${Math.round(rows / Math.max(elapsedMs, 1) * 1_000)} rows/s`
  return `${label}: ${of(done)}${whole} ${name}, ${rate}${left}`
}

/** Characters of the bar on a terminal. */
const barWidth = 20

/** `[████████░░░░░░░░░░░░] `; nothing without a total. */
const progressBar = (done: number, total: number | null): string => {
  if (total === null || total <= 0) return ""
  const full = Math.min(barWidth, Math.floor(done / total * barWidth))
  return `[${"█".repeat(full)}${"░".repeat(barWidth - full)}] `
}

/** Progress of one piece of work, timed from its first report; in bytes, or in another unit. */
export const makeProgress = (
  stream: ProgressStream,
  label: string,
  unit: ProgressUnit = megabytes
): ProgressLine => {
  const isTerminal = stream.isTTY === true
  let beganMs = NaN
  let lastMs = NaN
  let isShown = false
  return {
    report: (done, total, rows) => {
      const nowMs = performance.now()
      if (Number.isNaN(beganMs)) beganMs = lastMs = nowMs
      if (nowMs - lastMs < (isTerminal ? terminalMs : plainMs)) return
      lastMs = nowMs
      isShown = true
      const line = progressLine(label, done, total, nowMs - beganMs, unit, rows)
      stream.write(isTerminal ? `\r\u001b[K${progressBar(done, total)}${line}` : `${line}\n`)
    },
    end: () => {
      if (isShown && isTerminal) stream.write("\r\u001b[K")
    }
  }
}

/** Runs work, and shows its progress on standard error meanwhile. */
export const withProgress = <A, E, R>(
  label: string,
  work: (report: ProgressLine["report"]) => Effect.Effect<A, E, R>,
  unit: ProgressUnit = megabytes
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => makeProgress(process.stderr, label, unit)),
    ({ report }) => work(report),
    ({ end }) => Effect.sync(end)
  )
