/** The variable by which the supervisor gives a worker its number, from 1. */
export const slotVariable = "CLUSTER_SLOT"

/** Settings of several processes on one port. */
export const workerSettings = {
  /** Most processes. Sixteen take 64 of the 100 connections that PostgreSQL allows by default. Chosen. */
  processesMax: 16,
  /** Least heap of a process, MB. An idle process with a large lane uses half of that. */
  heapMbMin: 256,
  /** First and longest pause before a process is replaced, ms. Chosen. */
  restartMs: 200,
  restartMsMax: 30_000,
  /**
   * Time that a process has to end after its drain delay, ms. A stop takes 10 s at most (`http/Listener.ts`).
   * A blocked process never ends, so it is killed. Chosen.
   */
  stopMs: 12_000,
  /** A process that lived longer than this is replaced after the first pause, ms. Chosen. */
  steadyMs: 10_000
} as const
