/* Infers from a call which abilities its model needs: kinds of input, tools, structured output. */
import { attempt } from "../ForeignValues.ts"
import type { InferredRequirements } from "../Wire.ts"

type Modality = NonNullable<InferredRequirements["modalities"]>[number]

/** Matches the type and media type of a message's part that holds a file, in all supported frameworks. */
const held = /^(input_)?(image|audio|file|document)(_url)? (?!text)/

const kindsOf = (part: unknown): ReadonlyArray<Modality> => {
  const { mediaType, mime_type: mimeType, source, type } = Object(part)
  const text = `${type} ${mediaType ?? mimeType ?? Object(source).type}`
  return held.test(text) ? [(/image|audio/.exec(text)?.[0] ?? "file") as Modality] : []
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0

/**
 * Returns what the call needs; undefined if it needs only text, or if reading it throws.
 * @param contents the content of each message, which is a text or a list of parts
 */
export const inferredOf = (
  contents: ReadonlyArray<unknown>,
  tools: unknown,
  structured_output: boolean,
  outputLimit?: unknown
): InferredRequirements | undefined => attempt(() => {
  const modalities = [...new Set(contents.flat().flatMap(kindsOf))]
  const needs = {
    modalities: modalities[0] ? modalities : null, tools: !!Object(tools)[0], structured_output,
    ...(isCount(outputLimit) ? { output_tokens: outputLimit } : {})
  }
  return Object.values(needs).some(Boolean) ? needs : undefined
}, undefined)
