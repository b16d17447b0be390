/* Compares an answer with the JSON that its call asks for. */
import { fails } from "../adapters/Schema.ts"
import type { FinishReason, ResponseFormat } from "./Shapes.ts"

/** Finish reasons after which there is no answer to check. */
const noAnswer = /^(error|content-filter|tool-calls)$/

/** True if the call asks for JSON and the text does not fit. False if there is no answer to check. */
export const isMisfit = (
  format: ResponseFormat | undefined,
  finish: FinishReason | undefined,
  text: string
): boolean =>
  format?.type === "json" && !noAnswer.test(`${finish?.unified}`) && fails(format.schema, text)
