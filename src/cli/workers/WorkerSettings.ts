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
  /** Time between two beats by which a process shows that it is alive, ms. Chosen. */
  beatMs: 2_000,
  /**
   * Most beats that a process may miss in a row, count; it is then killed. Fifteen are 30 s, far longer than
   * any work or collection of garbage blocks a process.
   */
  missedBeatsMax: 15,
  /** The same until the first beat, count: a start on a busy machine may take a minute. Chosen. */
  missedFirstBeatsMax: 90,
  /** Longest that a process may take to stop after its drain delay, ms: the drain, and half as much again. */
  stopMs: 15_000,
  /** Longest that a process may drain whose first process was killed, ms: the drain delay, and the drain. */
  orphanMs: 35_000
} as const
