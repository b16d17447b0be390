/* Estimates the tokens of a prompt from its texts. */
import { attempt } from "../ForeignValues.ts"
import { textTokens } from "./TextTokens.ts"

/** Parts that hold or name a file are not counted, because a file's bytes are not text. */
const fileType = /file|image|audio|media|screenshot|base64|url/

const tokensOf = (value: unknown): number => {
  if (typeof value === "string") return textTokens(value)
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + tokensOf(one), 0)
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return 0
  if ("type" in value && fileType.test(String(value.type))) return 0
  return Object.entries(value).reduce((sum, [name, one]) => sum + textTokens(name) + tokensOf(one), 0)
}

/** Estimates the tokens of prompt and tools, not counting files; undefined if there is no text. */
export const estimatedTokens = (...prompt: ReadonlyArray<unknown>): number | undefined =>
  attempt(() => Math.ceil(tokensOf(prompt)), 0) || undefined
