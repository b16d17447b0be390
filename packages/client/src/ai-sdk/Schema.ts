/* Compares an answer with the JSON that its call asks for. */
import { fails } from "../adapters/Schema.ts"
import type { FinishReason, ResponseFormat } from "./Shapes.ts"

/** Finish reasons after which there is no answer to check. */
const noAnswer = /^(error|content-filter|tool-calls)$/

/** Whether the call asks for JSON and has an answer that is no JSON or does not fit the schema. */
export const isMisfit = (
  format: ResponseFormat | undefined,
  finish: FinishReason | undefined,
  text: string
): boolean =>
  format?.type === "json" && !noAnswer.test(`${finish?.unified}`) && fails(format.schema, text)
