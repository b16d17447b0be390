// Says on standard error how far long work has come: in one line that is written over, or in few lines.
import { Effect } from "effect"

/** Where progress is written. */
export interface ProgressStream {
  readonly isTTY?: boolean
  readonly write: (text: string) => unknown
}

export interface Progress {
  /** Bytes done and, where it is known, in all. */
  readonly report: (doneBytes: number, totalBytes: number | null) => void
  /** Clears the line. */
  readonly end: () => void
}

/** Pauses between two lines, ms: on a terminal, and where lines are kept. Chosen. */
const terminalMs = 200
const plainMs = 10_000

/** Before this there is no telling how long it takes, ms. */
const steadyMs = 1_000

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`

/** `Writing: 31.2 of 64.0 MB, 40.1 MB/s, 1 s left`. A total that was passed is left out. */
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

/** Progress of one piece of work, from its first report on. */
export const progressOn = (stream: ProgressStream, label: string): Progress => {
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

/** Progress on standard error while some work lasts. */
export const withProgress = <A, E, R>(
  label: string,
  work: (report: Progress["report"]) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => progressOn(process.stderr, label)),
    ({ report }) => work(report),
    ({ end }) => Effect.sync(end)
  )
