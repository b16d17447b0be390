/* Estimates the tokens of a prompt by its texts. */
import { attempt } from "../ForeignValues.ts"
import { textTokens } from "./TextTokens.ts"

/** The types of parts that hold or name a file, whose bytes are no text. */
const fileType = /file|image|audio|media|screenshot|base64|url/

/** Tokens of all texts in a value and of the names of its fields. */
const tokensOf = (value: unknown): number => {
  if (typeof value === "string") return textTokens(value)
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + tokensOf(one), 0)
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return 0
  if ("type" in value && fileType.test(String(value.type))) return 0
  return Object.entries(value).reduce((sum, [name, one]) => sum + textTokens(name) + tokensOf(one), 0)
}

/** Tokens of a prompt and its tools without its files, count; undefined if nothing can be read. */
export const estimatedTokens = (...prompt: ReadonlyArray<unknown>): number | undefined =>
  attempt(() => Math.ceil(tokensOf(prompt)), 0) || undefined
