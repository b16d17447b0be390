/* Runs the arena's tasks in worker threads. */
import { Worker } from "node:worker_threads"

/** What a worker answers; the position ties it to its task. */
export type Answer<Result> =
  | { readonly position: number; readonly result: Result }
  | { readonly position: number; readonly failure: string }

/**
 * Runs every task in one of `count` worker threads, the next free one first, and yields the results in the
 * tasks' order. The first failure ends all workers and is thrown.
 */
export const runAll = async <Task, Result>(
  script: URL,
  tasks: ReadonlyArray<Task>,
  count: number,
  onResult: (result: Result, finished: number) => void
): Promise<ReadonlyArray<Result>> => {
  const results: Array<Result> = []
  let next = 0
  let finished = 0
  const workers: Array<Worker> = []
  const serve = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(script)
      workers.push(worker)
      const proceed = (): void => {
        if (next < tasks.length) worker.postMessage({ position: next, task: tasks[next++] })
        else resolve()
      }
      worker.on("message", (answer: Answer<Result>) => {
        if ("failure" in answer) return reject(new Error(answer.failure))
        results[answer.position] = answer.result
        onResult(answer.result, ++finished)
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
  return results
}
