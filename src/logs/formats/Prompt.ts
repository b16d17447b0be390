/* Finds the text of a prompt, which is the user's last message, in the forms of several APIs. */
import { isRow, parsedOf, type Row, textOf } from "./Values.ts"

/** Number of last messages that are searched for the prompt: agents add many tool messages. Chosen. */
const messagesMax = 10_000

/** OpenAI and Anthropic write a part's text in `text`, and OpenTelemetry in `content`. */
const partText = (part: unknown): string | null => {
  if (typeof part === "string") return part
  if (!isRow(part)) return null
  const isText = part.type === undefined || /^(?:text|input_text)$/.test(textOf(part.type) ?? "")
  if (!isText) return null
  return typeof part.text === "string" ? part.text : typeof part.content === "string" ? part.content : null
}

const contentText = (content: unknown): string | null => {
  if (!Array.isArray(content)) return partText(content)
  const texts = content.flatMap((part: unknown) => partText(part) ?? [])
  return texts.length === 0 ? null : texts.join("\n")
}

/** Gemini and OpenTelemetry name the content `parts`. */
const messageText = (message: Row): string | null =>
  contentText(message.content ?? message.parts ?? message.text)

const isUsers = (message: unknown): message is Row =>
  isRow(message) && (message.role === "user" || message.role === "human")

/** Answers to tool calls, which may have the user's role, have no text. */
const lastOfUser = (messages: ReadonlyArray<unknown>): string | null => {
  for (let i = messages.length - 1; i >= Math.max(0, messages.length - messagesMax); i--) {
    const message = messages[i]
    const text = isUsers(message) ? messageText(message) : null
    if (text !== null && text.trim() !== "") return text
  }
  return null
}

/** Names of the fields in which requests have their messages. */
const homes = ["messages", "input", "contents", "prompt", "body"] as const

/**
 * Returns the text of the user's last message that has a text; null if there is none. `value` is a text, a
 * message, a list of messages or a request's body, or JSON text of one of these four.
 */
export const promptOf = (value: unknown): string | null => {
  let input = parsedOf(value)
  // A body may be inside another body, for example in a queued batch.
  for (let depth = 0; depth < 3; depth++) {
    if (typeof input === "string") return textOf(input)
    if (Array.isArray(input)) {
      // A list of texts is the prompt of a completion.
      const isOfTexts = input.every((one) => typeof one === "string")
      return textOf(isOfTexts ? input.join("\n") : lastOfUser(input))
    }
    if (!isRow(input)) return null
    if (isUsers(input)) return textOf(messageText(input))
    const body: Row = input
    const home = homes.find((name) => body[name] !== undefined && body[name] !== null)
    if (home === undefined) return null
    input = parsedOf(body[home])
  }
  return null
}
