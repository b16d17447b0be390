/* Finds the text of a prompt, which is the user's last message, in the forms of several APIs. */
import { isRow, parsedOf, type Row, textOf } from "./Values.ts"

/** Messages from the end that are searched for the user's, count. Agents add many tool messages. Chosen. */
const messagesMax = 10_000

/** The text of a part of a message: OpenAI's and Anthropic's `text`, OpenTelemetry's `content`. */
const partText = (part: unknown): string | null => {
  if (typeof part === "string") return part
  if (!isRow(part)) return null
  const isText = part.type === undefined || /^(?:text|input_text)$/.test(textOf(part.type) ?? "")
  if (!isText) return null
  return typeof part.text === "string" ? part.text : typeof part.content === "string" ? part.content : null
}

/** The text of a message's content. The text parts of a list are joined. */
const contentText = (content: unknown): string | null => {
  if (!Array.isArray(content)) return partText(content)
  const texts = content.flatMap((part: unknown) => partText(part) ?? [])
  return texts.length === 0 ? null : texts.join("\n")
}

/** The text of a message. Gemini and OpenTelemetry call the content `parts`. */
const messageText = (message: Row): string | null =>
  contentText(message.content ?? message.parts ?? message.text)

const isUsers = (message: unknown): message is Row =>
  isRow(message) && (message.role === "user" || message.role === "human")

/** The text of the user's last message with a text. Answers to tool calls have none. */
const lastOfUser = (messages: ReadonlyArray<unknown>): string | null => {
  for (let i = messages.length - 1; i >= Math.max(0, messages.length - messagesMax); i--) {
    const message = messages[i]
    const text = isUsers(message) ? messageText(message) : null
    if (text !== null && text.trim() !== "") return text
  }
  return null
}

/** Fields in which requests have their messages. */
const homes = ["messages", "input", "contents", "prompt", "body"] as const

/**
 * The text of the user's last message. The input is a text, a message, a list of messages or a request's
 * body, also written as JSON in a text. Null if there is no such text.
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
