import { Metric, Scheduler } from "effect"
import { generator } from "../../../src/stats/Generator.ts"
import { type Draw as FuzzDraw, drawBy } from "../../fuzz/draw.ts"

/** Draws that a seed decides: the same seed gives the same ones. */
export interface Draw extends FuzzDraw {
  /** In [low, high), with a fraction, so that hardly two of them are equal. */
  readonly between: (low: number, high: number) => number
}

/** The `stream`-th draws of a seed: one stream for each use, so that uses do not move each other. */
export const drawOf = (seed: number, stream: number): Draw => {
  const uniform = generator(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b))
  // Neighbouring seeds of this generator begin alike.
  for (let i = 0; i < 8; i++) uniform()
  return { ...drawBy(uniform), between: (low, high) => low + uniform() * (high - low) }
}

interface Task {
  readonly run: () => void
  readonly priority: number
}

/**
 * Runs what is ready in an order that the seed draws, and lets fibers yield at operations that it draws. Task
 * after task in one turn of the event loop, so that nothing of the machine's own timing shows.
 */
export const seededScheduler = (draw: Draw, yieldShare: number): Scheduler.Scheduler => {
  const ready: Array<Task> = []
  let isRunning = false
  let isDue = false
  const take = (): Task | undefined => {
    if (ready.length < 2) return ready.pop()
    const least = ready.reduce((low, { priority }) => Math.min(low, priority), Infinity)
    const first = ready.flatMap(({ priority }, index) => priority === least ? [index] : [])
    return ready.splice(draw.of(first), 1)[0]
  }
  const runAll = () => {
    if (isRunning) return
    isRunning = true
    try {
      for (let task = take(); task !== undefined; task = take()) task.run()
    } finally {
      isRunning = false
    }
  }
  return {
    executionMode: "async",
    shouldYield: ({ currentOpCount }) => currentOpCount >= 2_048 || (yieldShare > 0 && draw.uniform() < yieldShare),
    makeDispatcher: () => ({
      scheduleTask: (run, priority) => {
        ready.push({ run, priority })
        if (isRunning || isDue) return
        isDue = true
        setImmediate(() => {
          isDue = false
          runAll()
        })
      },
      flush: runAll
    })
  }
}

/** Fibers that have begun and not ended. */
export interface FiberCount extends Metric.FiberRuntimeMetricsService {
  readonly live: () => number
}

export const fiberCount = (): FiberCount => {
  let live = 0
  return {
    live: () => live,
    recordFiberStart: () => void live++,
    recordFiberEnd: () => void live--
  }
}
