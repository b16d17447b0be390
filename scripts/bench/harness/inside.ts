/**
 * Preloaded into a service process (`--import`) to look at it from inside: writes an {@link Inside} as a
 * JSON line to the file of BENCH_INSIDE every BENCH_INSIDE_SECONDS. Nothing in `src` knows of it.
 *
 * A full collection stops the process for as long as the heap is large, so that only every
 * BENCH_INSIDE_COLLECT-th sample makes one; requests wait meanwhile and are measured so, and what the event
 * loop's delay of a sample leaves out is reported as `collectionMs`.
 */
import { appendFileSync, readdirSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { isMainThread } from "node:worker_threads"

interface Delay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface Inside {
  readonly kind: "inside"
  readonly atMs: number
  /** Of the whole process, its worker threads included. */
  readonly rssBytes: number
  /** Of the main thread, garbage included. */
  readonly heapBytes: number
  /** After a full collection; null where this sample made none. */
  readonly collected: {
    readonly heapBytes: number
    /** Memory outside of the heap that its objects hold, buffers included. */
    readonly externalBytes: number
    readonly collectionMs: number
  } | null
  /** How much later than it should the event loop came round since the sample before, ms. */
  readonly delayMs: Delay
  /** The same since the settling time was over, this sampler's own collections included; null before. */
  readonly wholeDelayMs: Delay | null
  /** What keeps the event loop alive, by name. */
  readonly resources: Readonly<Record<string, number>>
  /** Open file descriptors; null where the system does not say. */
  readonly descriptors: number | null
}

/** How often the event loop is looked at; its histogram holds this and the delay together. */
const resolutionMs = 10

const counted = (names: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

const descriptors = (): number | null =>
  // One is the listing's own.
  process.platform === "linux" ? readdirSync("/proc/self/fd").length - 1 : null

const look = (file: string, everyMs: number, collectEvery: number, settledMs: number) => {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  const whole = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  let samples = 0
  let isSettled = false

  const read = (from: typeof delay): Delay => {
    const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
    if (from.count === 0) return { p50: 0, p99: 0, max: 0 }
    return { p50: ms(from.percentile(50)), p99: ms(from.percentile(99)), max: ms(from.max) }
  }

  const collected = (): Inside["collected"] => {
    if (samples % collectEvery !== 0) return null
    const beganMs = performance.now()
    collect()
    const collectionMs = performance.now() - beganMs
    const { external, heapUsed } = process.memoryUsage()
    return { heapBytes: heapUsed, externalBytes: external, collectionMs }
  }

  const sample = () => {
    samples++
    const delayMs = read(delay)
    delay.disable()
    const heapBytes = process.memoryUsage().heapUsed
    const inside: Inside = {
      kind: "inside",
      atMs: Date.now(),
      heapBytes,
      collected: collected(),
      rssBytes: process.memoryUsage.rss(),
      delayMs,
      wholeDelayMs: isSettled ? read(whole) : null,
      resources: counted(process.getActiveResourcesInfo()),
      descriptors: descriptors()
    }
    appendFileSync(file, `${JSON.stringify(inside)}\n`)
    if (!isSettled && samples * everyMs >= settledMs) {
      isSettled = true
      whole.enable()
    }
    // Which also forgets what it has seen.
    delay.enable()
  }
  setInterval(sample, everyMs).unref()
}

const { BENCH_INSIDE: file, BENCH_INSIDE_COLLECT, BENCH_INSIDE_SECONDS, BENCH_INSIDE_SETTLED } = process.env
// Worker threads preload it, too.
if (isMainThread && file !== undefined) {
  const [everyMs, settledMs] = [Number(BENCH_INSIDE_SECONDS) * 1_000, Number(BENCH_INSIDE_SETTLED) * 1_000]
  look(file, everyMs, Number(BENCH_INSIDE_COLLECT), settledMs)
}
