/*
 * Writes the prompts of the workloads and of the demo: a wording with its slots filled, and small edits of it. Kinds of
 * practical work, their wordings and the words for the slots are those of `prompts.json`, all made up for it.
 */
import { readFileSync } from "node:fs"
import { pickFrom, type Random } from "./random.ts"

/** One kind of task in two or three wordings; `{slot}` takes a word, `{n}` a number. */
export interface Kind {
  readonly name: string
  readonly wordings: ReadonlyArray<string>
}

type Words = Readonly<Record<string, ReadonlyArray<string>>>

// The file is ours, so it is not decoded.
const { kinds: wordings, slots } = JSON.parse(readFileSync(new URL("prompts.json", import.meta.url), "utf8")) as {
  readonly kinds: Words
  readonly slots: Words
}

/** Every kind of task that the workloads draw from. */
export const kinds: ReadonlyArray<Kind> = Object.entries(wordings).map(([name, own]) => ({ name, wordings: own }))

/** The kind of that name. */
export const kindNamed = (name: string): Kind => {
  const kind = kinds.find((each) => each.name === name)
  if (kind === undefined) throw new Error(`No prompts of the kind ${name}`)
  return kind
}

const wordFor = (slot: string, random: Random): string => {
  if (slot === "n") return String(2 + Math.floor(random() * 97))
  const words = slots[slot]
  if (words === undefined) throw new Error(`No words for the slot {${slot}}`)
  return pickFrom(words, random)
}

/** A prompt of this kind: a wording with its slots filled, half of the time with an opener or a closer. */
export const write = (kind: Kind, random: Random): string => {
  const body = pickFrom(kind.wordings, random)
    .replaceAll(/\{(\w+)\}/g, (_, slot: string) => wordFor(slot, random))
  const opener = random() < 0.5 ? `${wordFor("opener", random)} ` : ""
  const closer = random() < 0.5 ? ` ${wordFor("closer", random)}` : ""
  return `${opener}${body}${closer}`
}

/** Two letters of one longer word change places. */
const misspelt = (text: string, random: Random): string => {
  const words = text.split(" ")
  const at = Math.floor(random() * words.length)
  const word = words[at] ?? ""
  if (word.length < 5) return text
  const swapAt = 1 + Math.floor(random() * (word.length - 3))
  words[at] = `${word.slice(0, swapAt)}${word[swapAt + 1]}${word[swapAt]}${word.slice(swapAt + 2)}`
  return words.join(" ")
}

const edits: ReadonlyArray<(text: string, random: Random) => string> = [
  (text) => text,
  misspelt,
  (text, random) => text.replace(/\d+/, (digits) => String(Number(digits) + 1 + Math.floor(random() * 9))),
  (text, random) => `${text} ${wordFor("closer", random)}`,
  (text, random) => `${wordFor("opener", random)} ${text}`,
  (text) => text.toLowerCase()
]

/** Changes a prompt by up to two small edits, as a user who sends it again does. */
export const edited = (text: string, random: Random): string =>
  pickFrom(edits, random)(pickFrom(edits, random)(text, random), random)
