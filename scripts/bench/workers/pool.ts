/* Runs tasks of benchmarks in worker threads. */
import { Worker } from "node:worker_threads"
import type { Answer, Kind, Reports, Tasks } from "./worker.ts"

/**
 * Runs every task in one of `count` worker threads, and prints the progress on standard error. Yields the reports in
 * the tasks' order, and the seconds that all took. The first failure ends all workers and is thrown.
 */
export const runAll = async <K extends Kind>(
  kind: K,
  tasks: ReadonlyArray<Tasks[K]>,
  count: number
): Promise<{ readonly reports: ReadonlyArray<Reports[K]>; readonly seconds: string }> => {
  const began = performance.now()
  const seconds = () => ((performance.now() - began) / 1000).toFixed(0)
  const reports: Array<Reports[K]> = []
  let next = 0
  let finished = 0
  const workers: Array<Worker> = []
  const serve = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL("worker.ts", import.meta.url))
      workers.push(worker)
      const proceed = (): void => {
        if (next < tasks.length) worker.postMessage({ kind, position: next, task: tasks[next++] })
        else resolve()
      }
      worker.on("message", (answer: Answer<K>) => {
        if ("failure" in answer) return reject(new Error(answer.failure))
        reports[answer.position] = answer.report
        console.error(`${++finished}/${tasks.length}, ${seconds()} s`)
        proceed()
      })
      worker.on("error", reject)
      proceed()
    })
  try {
    await Promise.all(Array.from({ length: Math.min(count, tasks.length) }, serve))
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
  return { reports, seconds: seconds() }
}
