/* The program of the worker thread. */
import { parentPort } from "node:worker_threads"
import type { OutcomeColumns } from "./OutcomeColumns.ts"
import { policyWorths } from "./PolicyWorth.ts"

/** An exception ends the thread, so that the caller stops waiting and fails. */
parentPort?.on("message", (columns: OutcomeColumns) => parentPort?.postMessage(policyWorths(columns)))
