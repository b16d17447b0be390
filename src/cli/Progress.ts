/*
 * Progress of long work on standard error: one line that is overwritten on a terminal, few lines elsewhere.
 */
import { Effect } from "effect"

/** The stream that progress is written to. */
interface ProgressStream {
  readonly isTTY?: boolean
  readonly write: (text: string) => unknown
}

interface ProgressLine {
  /** Reports bytes done and, where it is known, their total. */
  readonly report: (doneBytes: number, totalBytes: number | null) => void
  /** Clears the line. */
  readonly end: () => void
}

/** Pauses between two lines, ms: on a terminal, and where each line stays. Chosen. */
const terminalMs = 200
const plainMs = 10_000

/** Elapsed time before which the remaining time is not estimated, ms. Chosen. */
const steadyMs = 1_000

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`

/** `Writing: 31.2 of 64.0 MB, 40.1 MB/s, 1 s left`. A total that was exceeded is left out. */
export const progressLine = (
  label: string,
  doneBytes: number,
  totalBytes: number | null,
  elapsedMs: number
): string => {
  const known = totalBytes !== null && totalBytes >= doneBytes ? totalBytes : null
  const bytesPerSecond = doneBytes / Math.max(elapsedMs, 1) * 1_000
  const left = known === null || elapsedMs < steadyMs || bytesPerSecond === 0
    ? ""
    : `, ${duration((known - doneBytes) / bytesPerSecond)} left`
  const of = known === null ? "" : ` of ${megabytes(known)}`
  return `${label}: ${megabytes(doneBytes)}${of} MB, ${megabytes(bytesPerSecond)} MB/s${left}`
}

/** Progress of one piece of work, timed from its first report. */
export const makeProgress = (stream: ProgressStream, label: string): ProgressLine => {
  const isTerminal = stream.isTTY === true
  let beganMs = NaN
  let lastMs = NaN
  let isShown = false
  return {
    report: (doneBytes, totalBytes) => {
      const nowMs = performance.now()
      if (Number.isNaN(beganMs)) beganMs = lastMs = nowMs
      if (nowMs - lastMs < (isTerminal ? terminalMs : plainMs)) return
      lastMs = nowMs
      isShown = true
      const line = progressLine(label, doneBytes, totalBytes, nowMs - beganMs)
      stream.write(isTerminal ? `\r\u001b[K${line}` : `${line}\n`)
    },
    end: () => {
      if (isShown && isTerminal) stream.write("\r\u001b[K")
    }
  }
}

/** Runs work, and shows its progress on standard error meanwhile. */
export const withProgress = <A, E, R>(
  label: string,
  work: (report: ProgressLine["report"]) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => makeProgress(process.stderr, label)),
    ({ report }) => work(report),
    ({ end }) => Effect.sync(end)
  )
