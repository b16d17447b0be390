/** The variable by which the first process tells another its number on the port, from 1. */
export const slotVariable = "CLUSTER_SLOT"

/** Settings of several processes on one port. */
export const workerSettings = {
  /**
   * Most processes, count: sixteen hold 64 of the 100 connections that PostgreSQL allows by default. Chosen.
   */
  processesMax: 16,
  /** Least heap of a process, MB: an idle one with a large lane uses half of it. */
  heapMbMin: 256,
  /** Pauses before a process that ended is started again, ms: the first, and the longest. Chosen. */
  restartMs: 200,
  restartMsMax: 30_000,
  /**
   * How long a process may take to end after its drain delay, ms, before it is killed: a stop takes 10 s at
   * most (`http/Listener`), and a blocked process never ends. Chosen.
   */
  stopMs: 12_000,
  /** A process that lived longer than this is started again after the first pause, ms. Chosen. */
  steadyMs: 10_000
} as const
