/* Writes the prompts of the workloads: a wording with its slots filled, and small edits of it. */
import { proseKinds } from "./prompts-kinds-prose.ts"
import { type Kind, practicalKinds } from "./prompts-kinds.ts"
import { closers, openers, slots } from "./prompts-slots.ts"
import { pickFrom, type Random } from "./random.ts"

/** Every kind of task that the workloads draw from. */
export const kinds: ReadonlyArray<Kind> = [...practicalKinds, ...proseKinds]

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
  const opener = random() < 0.5 ? `${pickFrom(openers, random)} ` : ""
  const closer = random() < 0.5 ? ` ${pickFrom(closers, random)}` : ""
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
  (text, random) => `${text} ${pickFrom(closers, random)}`,
  (text, random) => `${pickFrom(openers, random)} ${text}`,
  (text) => text.toLowerCase()
]

/** The same prompt as a user would send it again: up to two small edits. */
export const edited = (text: string, random: Random): string =>
  pickFrom(edits, random)(pickFrom(edits, random)(text, random), random)
