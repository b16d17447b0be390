/* The worker thread's entry. */
import { parentPort } from "node:worker_threads"
import type { OutcomeColumns } from "./OutcomeColumns.ts"
import { policyWorths } from "./PolicyWorth.ts"

/**
 * Judges the policies of one log after another. An exception ends the thread, and the caller's wait fails.
 */
parentPort?.on("message", (columns: OutcomeColumns) => parentPort?.postMessage(policyWorths(columns)))
