/** The variable by which the supervisor gives a worker its number, from 1. */
export const slotVariable = "CLUSTER_SLOT"

export const workerSettings = {
  /** Sixteen processes take 80 of the 100 connections that PostgreSQL allows by default. Chosen. */
  processesMax: 16,
  /** Minimum heap of a process, MB. Chosen. */
  heapMbMin: 256,
  /** First pause before a process is replaced, and longest pause, ms. Chosen. */
  restartMs: 200,
  restartMsMax: 30_000,
  /** Time after the drain delay until a worker that has not stopped is killed, ms. Chosen. */
  stopMs: 12_000,
  /** If a process lived longer than this time, ms, its replacement starts after `restartMs`. Chosen. */
  steadyMs: 10_000
} as const
