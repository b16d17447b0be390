/* The program of the worker thread. */
import { parentPort } from "node:worker_threads"
import type { OutcomeColumns } from "./OutcomeColumns.ts"
import { policyWorths } from "./PolicyWorth.ts"

/** Estimates policies on one log after another. An exception ends the thread, so the caller's wait fails. */
parentPort?.on("message", (columns: OutcomeColumns) => parentPort?.postMessage(policyWorths(columns)))
