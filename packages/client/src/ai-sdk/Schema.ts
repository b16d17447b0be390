/* Whether an answer is the JSON that a call asks for. */
import { fails } from "../adapters/Schema.ts"
import type { FinishReason, ResponseFormat } from "./Shapes.ts"

/** Ends of a call that make no answer which could be judged. */
const noAnswer = /^(error|content-filter|tool-calls)$/

/** Whether a text is not the JSON that was asked for; false where none was, or where no answer is due yet. */
export const isMisfit = (
  format: ResponseFormat | undefined,
  finish: FinishReason | undefined,
  text: string
): boolean =>
  format?.type === "json" && !noAnswer.test(`${finish?.unified}`) && fails(format.schema, text)
