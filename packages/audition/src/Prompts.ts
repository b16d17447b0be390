/* Reads the prompts of an audition: JSON Lines of texts, or of objects with a prompt, a task or messages. */
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { counted } from "../../../src/domain/text/Words.ts"
import { classify } from "../../../src/engine/classifier/Classifier.ts"

export interface Message {
  readonly role: "system" | "user" | "assistant"
  readonly content: string
}

export interface AuditionPrompt {
  readonly id: string
  readonly messages: ReadonlyArray<Message>
  /** The text for a judge or gate: the only message, or all messages with their roles. */
  readonly task: string
  /** Text of the last message, which is always the user's. */
  readonly asked: string
  /** The prompt's `kind` in the file; if the file gives none, the task type that the classifier finds. */
  readonly kind: string
}

/** An invalid line of the file; lines count from 1. */
export class BadPrompt extends Schema.TaggedError<BadPrompt>()("BadPrompt", {
  line: Schema.Int,
  detail: Schema.String
}) {
  override get message() {
    return `line ${this.line}: ${this.detail}`
  }
}

const Text = Schema.NonEmptyString
const Parts = Schema.Array(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }))
const named = { kind: Schema.optionalKey(Text), id: Schema.optionalKey(Schema.Union([Text, Schema.Int])) }
const Line = Schema.Union([
  Text,
  Schema.Struct({ ...named, prompt: Text }),
  Schema.Struct({ ...named, task: Text }),
  Schema.Struct({
    ...named,
    messages: Schema.NonEmptyArray(Schema.Struct({
      role: Schema.Literals(["system", "developer", "user", "assistant"]),
      content: Schema.Union([Text, Parts])
    }))
  })
])
const decodeLine = Schema.decodeUnknownOption(Line)

const messagesOf = (line: typeof Line.Type): ReadonlyArray<Message> => {
  if (typeof line === "string") return [{ role: "user", content: line }]
  if ("prompt" in line) return [{ role: "user", content: line.prompt }]
  if ("task" in line) return [{ role: "user", content: line.task }]
  return line.messages.map(({ content, role }) => ({
    role: role === "developer" ? "system" : role,
    content: typeof content === "string" ? content : content.map(({ text }) => text).join("\n")
  }))
}

const expected = "expected a text, or an object with \"prompt\", \"task\" or \"messages\" of texts"

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const promptOf = (text: string, line: number): AuditionPrompt | BadPrompt => {
  const decoded = decodeLine(parsed(text))
  if (decoded._tag === "None") return new BadPrompt({ line, detail: expected })
  const given: { readonly id?: string | number; readonly kind?: string } =
    typeof decoded.value === "string" ? {} : decoded.value
  const messages = messagesOf(decoded.value)
  const last = messages.at(-1)
  const asked = messages.findLast(({ role }) => role === "user")?.content ?? ""
  if (last?.role !== "user" || asked.trim() === "") {
    return new BadPrompt({ line, detail: "the last message must be a text of the user" })
  }
  const task = messages.length === 1
    ? asked
    : messages.map(({ content, role }) => `${role}: ${content}`).join("\n\n")
  return {
    id: String(given.id ?? `line-${line}`), messages, task, asked,
    kind: given.kind ?? classify(asked).taskType
  }
}

/** Reads the prompts of a file; returns the first invalid line if there is one. Blank lines are skipped. */
export const promptsOf = (text: string, promptsMax: number): ReadonlyArray<AuditionPrompt> | BadPrompt => {
  const prompts: Array<AuditionPrompt> = []
  const ids = new Set<string>()
  for (const [place, line] of text.replace(/^\uFEFF/, "").split("\n").entries()) {
    if (line.trim() === "") continue
    const prompt = promptOf(line, place + 1)
    if (prompt instanceof BadPrompt) return prompt
    if (ids.has(prompt.id)) return new BadPrompt({ line: place + 1, detail: "its id came before" })
    if (ids.size === promptsMax) {
      return new BadPrompt({ line: place + 1, detail: `more than ${counted(promptsMax, "prompt")}` })
    }
    ids.add(prompt.id)
    prompts.push(prompt)
  }
  return prompts.length > 0 ? prompts : new BadPrompt({ line: 1, detail: "the file holds no prompt" })
}

/** SHA-256 of the prompts, in hexadecimal. */
export const digestOf = (prompts: ReadonlyArray<AuditionPrompt>): string =>
  createHash("sha256").update(JSON.stringify(prompts.map(({ id, kind, messages }) => [id, kind, messages])))
    .digest("hex")
