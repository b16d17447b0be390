/* The number of processes on a port, and each one's share of the machine. */
import { availableParallelism } from "node:os"
import { getHeapStatistics } from "node:v8"
import { workerSettings } from "./WorkerSettings.ts"

const { heapBytesMin, processesMax } = workerSettings

/** One process a core, as far as the heap of a lone process has room for their heaps. */
export const processesFor = (cores: number, heapBytes: number): number =>
  Math.max(1, Math.min(cores, Math.floor(heapBytes / heapBytesMin), processesMax))

/** {@link processesFor} this machine, or the part of it that a container has. */
export const processesHere = (): number =>
  processesFor(availableParallelism(), getHeapStatistics().heap_size_limit)

/** The limit of each process's heap, MB, so that together they stay within that of a lone process. */
export const heapMb = (heapBytes: number, processes: number): number =>
  Math.floor(Math.max(heapBytesMin, heapBytes / processes) / 2 ** 20)

/**
 * OTEL_RESOURCE_ATTRIBUTES of a process: an instance id that the operator named gets the process's number,
 * because two processes must not write the same series.
 */
export const resourceAttributes = (given: string, number: number): string =>
  given.replace(/(^|,)(\s*service\.instance\.id\s*=[^,]*)/, `$1$2-${number}`)
