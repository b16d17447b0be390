/* Reads the text of an answer from any supported SDK. */
import { attempt } from "../ForeignValues.ts"

const joined = (content: unknown): string | null => {
  if (typeof content === "string") return content
  const texts = [content].flat().map((part) => Object(part).text).filter((text) => typeof text === "string")
  return texts.length > 0 ? texts.join("") : null
}

/**
 * Returns the text of any supported SDK's answer, or a plain text itself. For an agent's list of messages,
 * returns the last message's text. Returns null if the answer has no text, such as a tool call.
 */
export const answerText = (answer: unknown): string | null =>
  attempt(() => {
    const { choices, messages } = Object(answer)
    const inner = messages?.at(-1) ?? choices?.[0]?.message ?? answer
    const { content, output_text, text, tool_calls, toolCalls } = Object(inner)
    const words = joined(typeof inner === "string" ? inner : text ?? output_text ?? content)
    return words === "" && (toolCalls ?? tool_calls)?.length > 0 ? null : words
  }, null)
