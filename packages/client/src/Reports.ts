/* Sends reports in the background from a bounded queue, tries some again, and counts the lost ones. */
import { notify, textOf } from "./ForeignValues.ts"
import { type Post, Refused, sleep, waitMaxMs, within } from "./Transport.ts"
import type { Warn } from "./Warning.ts"
import type { FeedbackRequest } from "./Wire.ts"

export interface DroppedReport {
  /** `refused`: a status other than 2xx, 502, 503 and 504. `not_accepted`: no `accepted: true`. */
  readonly reason: "queue_full" | "refused" | "unreachable" | "not_accepted"
  readonly detail: string
  readonly report: FeedbackRequest
}

/** A report is sent again after a 429 or if the service is unreachable. */
const attemptsMax = 3
const unavailable: ReadonlyArray<number> = [502, 503, 504]
const attemptLimitMs = 3_000
const backoffMs = 100
/** Time before a process tries one of its refused API keys again, in ms. */
const keyRetryMs = 60_000
/** Interval at which `flush` checks whether all reports are sent, in ms. */
const lookMs = 5
const concurrencyMax = 4

export interface Reports {
  /** Puts a report into the queue; returns false if the queue is full. */
  readonly report: (report: FeedbackRequest) => boolean
  /** Waits at most `limitMs` (5,000 by default), and returns whether no report is left in the queue. */
  readonly flush: (limitMs?: number) => Promise<boolean>
  /** Number of reports that wait or are being sent. */
  readonly pending: () => number
  readonly dropped: () => number
}

/** `keyAccepted` sends the reports that waited because the API key was refused. */
interface Queue extends Reports {
  readonly keyAccepted: () => void
}

/** If the failure is `unauthorized`, the report waits, because the API key may be accepted later. */
interface Failure {
  readonly reason: DroppedReport["reason"] | "unauthorized"
  readonly detail: string
}

/** Functions that try a client's refused API key again, or return false if the key was accepted meanwhile. */
const keyTries = new Set<() => boolean>()
let isTrying = false

/** Tries one refused API key a minute, because the service may block an address that sends many. */
const tryInTurn = async (tryKey: () => boolean): Promise<void> => {
  keyTries.add(tryKey)
  if (isTrying) return
  isTrying = true
  while (keyTries.size > 0) {
    await sleep(keyRetryMs)
    for (const next of keyTries) {
      keyTries.delete(next)
      if (next()) break
    }
  }
  isTrying = false
}

export const createReports = (
  post: Post,
  queueMax: number,
  onDropped: ((dropped: DroppedReport) => void) | undefined,
  warn: Warn
): Queue => {
  const waiting: Array<FeedbackRequest> = []
  let running = 0
  let lost = 0
  let isKeyRefused = false

  const drop = (report: FeedbackRequest, reason: DroppedReport["reason"], detail: string): void => {
    lost++
    notify(() => onDropped?.({ reason, detail, report }))
  }

  const deliver = async (report: FeedbackRequest): Promise<Failure | null> => {
    for (let attempt = 1;; attempt++) {
      try {
        const json = JSON.stringify(report)
        const send = (signal: AbortSignal): Promise<unknown> => post("/v1/feedback", json, signal)
        const { accepted, warnings } = Object(await within(attemptLimitMs, null, false, send))
        return accepted === true ? null : { reason: "not_accepted", detail: String(warnings) }
      } catch (error) {
        const detail = textOf(error)
        const refused: Partial<Refused> = error instanceof Refused ? error : {}
        const { retryAfterMs = 0, status = 0 } = refused
        if (status === 401) return { reason: "unauthorized", detail }
        const isThere = status > 0 && !unavailable.includes(status)
        if (attempt === attemptsMax || (isThere && status !== 429)) {
          return { reason: isThere ? "refused" : "unreachable", detail }
        }
        await sleep(Math.max(Math.min(retryAfterMs, waitMaxMs), backoffMs * 2 ** (attempt - 1)))
      }
    }
  }

  /** While the API key is refused, only the first report is sent. */
  const pump = async (): Promise<void> => {
    running++
    do {
      const report = waiting.shift()
      if (!report) break
      const failure = await deliver(report)
      if (failure?.reason === "unauthorized" || (failure?.reason === "unreachable" && isKeyRefused)) {
        waiting.unshift(report)
        keyRefused(failure.detail)
      } else {
        if (failure) drop(report, failure.reason, failure.detail)
        keyAccepted()
      }
    } while (!isKeyRefused)
    running--
  }

  const tryKey = (): boolean => {
    if (isKeyRefused) void pump()
    return isKeyRefused
  }

  const keyRefused = (detail: string): void => {
    warn("unauthorized", `reports wait, the key is refused: ${detail}`)
    isKeyRefused = true
    void tryInTurn(tryKey)
  }

  const keyAccepted = (): void => {
    if (!isKeyRefused) return
    isKeyRefused = false
    for (let i = 0; i < concurrencyMax; i++) void pump()
  }

  const pending = (): number => waiting.length + running

  return {
    report: (given) => {
      // All attempts have the same idempotency key, so that the service counts the report once.
      const report = { idempotency_key: crypto.randomUUID(), ...given }
      if (pending() >= queueMax) {
        drop(report, "queue_full", `${queueMax} wait`)
        return false
      }
      waiting.push(report)
      if (running < concurrencyMax && !isKeyRefused) void pump()
      return true
    },
    flush: async (limitMs = 5_000) => {
      const endMs = performance.now() + limitMs
      // The timer of `flush` keeps the process alive, because the caller waits for `flush`.
      while (running && performance.now() < endMs) {
        await new Promise((resolve) => setTimeout(resolve, lookMs))
      }
      return pending() === 0
    },
    pending,
    dropped: () => lost,
    keyAccepted
  }
}
