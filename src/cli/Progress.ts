/* Shows the progress of long work: one changing line on a terminal, a few lines in a file or a pipe. */
import { Effect } from "effect"

interface ProgressStream {
  readonly isTTY?: boolean
  readonly write: (text: string) => unknown
}

interface ProgressLine {
  /** `total` is null if the whole amount is unknown. `rows` is the number of rows that are done. */
  readonly report: (done: number, total: number | null, rows?: number) => void
  readonly end: () => void
}

/** Minimum pauses between two lines, ms: on a terminal, and in a file or pipe. Chosen. */
const terminalMs = 200
const plainMs = 10_000

/** Elapsed time before which the remaining time is not estimated, ms. Chosen. */
const steadyMs = 1_000

interface ProgressUnit {
  readonly name: string
  readonly of: (count: number) => string
}

const megabytes: ProgressUnit = { name: "MB", of: (bytes) => (bytes / 1e6).toFixed(1) }

export const callsUnit: ProgressUnit = { name: "calls", of: (calls) => String(Math.round(calls)) }

export const outcomesUnit: ProgressUnit = { ...callsUnit, name: "outcomes" }

export const rowsUnit: ProgressUnit = { ...callsUnit, name: "rows" }

const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`

/**
 * Returns a line such as `Writing: 31.2 of 64.0 MB, 40.1 MB/s, 1 s left`. The line leaves out a total that is
 * unknown, or smaller than what is done.
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

const barWidth = 20

/** Returns a bar such as `[████████░░░░░░░░░░░░] `; an empty text if the total is unknown. */
const progressBar = (done: number, total: number | null): string => {
  if (total === null || total <= 0) return ""
  const full = Math.min(barWidth, Math.floor(done / total * barWidth))
  return `[${"█".repeat(full)}${"░".repeat(barWidth - full)}] `
}

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

/** Runs work and shows its progress on standard error. */
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
