import { parentPort } from "node:worker_threads"
import type { OutcomeColumns } from "./OutcomeColumns.ts"
import { policyWorths } from "./PolicyWorth.ts"

/** Judges the policies of one log after another; an exception ends the thread, and with it the question. */
parentPort?.on("message", (columns: OutcomeColumns) => parentPort?.postMessage(policyWorths(columns)))
