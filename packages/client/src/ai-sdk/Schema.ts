/* Compares an answer with the JSON that its call asks for. */
import { fails } from "../adapters/Schema.ts"
import type { FinishReason, ResponseFormat } from "./Shapes.ts"

/** Ends of a call without an answer to judge. */
const noAnswer = /^(error|content-filter|tool-calls)$/

/** Whether a text is not the JSON that was asked for; false without a schema or an answer. */
export const isMisfit = (
  format: ResponseFormat | undefined,
  finish: FinishReason | undefined,
  text: string
): boolean =>
  format?.type === "json" && !noAnswer.test(`${finish?.unified}`) && fails(format.schema, text)
