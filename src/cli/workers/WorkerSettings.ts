/** Settings of several processes on one port. */
export const workerSettings = {
  /**
   * Most processes, count: sixteen hold 64 of the 100 connections that PostgreSQL allows by default. Chosen.
   */
  processesMax: 16,
  /** Least heap of a process, bytes: an idle one with a large lane uses half of it. */
  heapBytesMin: 256 * 2 ** 20,
  /** Pauses before a process that ended soon is started again, ms: the first, and the longest. Chosen. */
  restartMs: 200,
  restartMsMax: 30_000,
  /** A process that lived longer than this is started again at once, ms. Chosen. */
  steadyMs: 10_000,
  /** Longest time until the other processes know what one has counted for a limit, ms. Chosen. */
  countsMs: 100,
  /** Most keys whose counts wait to be sent, count; beyond it the counts are sent at once. */
  countsMax: 1_000,
  /** Longest that a process may drain whose first process was killed, ms: the drain delay, and the drain. */
  orphanMs: 35_000
} as const
