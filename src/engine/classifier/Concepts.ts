/** The concepts in a text's words, by one table for seven languages. */
import { readFileSync } from "node:fs"
import { finalise, fnvStep, offsetBasis } from "../../stats/Hash.ts"
import type { Tokens } from "./Tokens.ts"

/** Most tokens of a phrase, count: three words with their hyphens, or six ideographs. */
export const phraseTokensMax = 6

/** Concepts are numbered from 1 to at most this; 0 is none. */
export const conceptMax = 255

/** Key of a phrase, from that of its tokens before the last (`offsetBasis` for none) and its last token. */
export const keyStep = (before: number, token: number): number => finalise(fnvStep(before, token))

/** A phrase, or how longer ones begin: the concepts that it names, 0 for none, and whether others go on. */
export interface Phrase {
  readonly key: number
  readonly concepts: readonly [first: number, second: number]
  readonly goesOn: boolean
}

/** Bytes of a phrase in the file: its key, two concepts, whether others go on, and one of padding. */
const phraseBytes = 8

/** The table's file: phrases side by side, without a header. */
export const encode = (phrases: ReadonlyArray<Phrase>): Uint8Array => {
  const bytes = new Uint8Array(phrases.length * phraseBytes)
  const view = new DataView(bytes.buffer)
  phrases.forEach(({ concepts, goesOn, key }, index) => {
    view.setInt32(index * phraseBytes, key, true)
    bytes.set([...concepts, Number(goesOn)], index * phraseBytes + 4)
  })
  return bytes
}

/** An open hash table of phrases: `slots[place]` is the number of a phrase, from 1 on; 0 is a free place. */
interface PhraseTable {
  readonly keys: Int32Array
  readonly bytes: Uint8Array
  readonly slots: Int32Array
}

/** Fails with a RangeError when the file does not hold whole phrases. */
export const decode = (bytes: Uint8Array): PhraseTable => {
  if (bytes.length % phraseBytes !== 0) throw new RangeError(`concepts.bin has ${bytes.length} bytes`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const keys = Int32Array.from({ length: bytes.length / phraseBytes }, (_, index) =>
    view.getInt32(index * phraseBytes, true))
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * keys.length + 2)))
  const mask = slots.length - 1
  keys.forEach((key, index) => {
    let place = key & mask
    while (slots[place] !== 0) place = (place + 1) & mask
    slots[place] = index + 1
  })
  return { keys, bytes, slots }
}

/** Where the bytes of a phrase begin behind its key; -1 for a phrase that the table lacks. */
const phraseAt = ({ keys, slots }: PhraseTable, key: number): number => {
  const mask = slots.length - 1
  let place = key & mask
  for (let number = slots[place]!; number !== 0; number = slots[place]!) {
    if (keys[number - 1] === key) return (number - 1) * phraseBytes + 4
    place = (place + 1) & mask
  }
  return -1
}

/** Distinct concepts of a stretch of text, the first `size` of `ids` in the order in which they come. */
interface ConceptList {
  size: number
  readonly ids: Uint8Array
  /** The concept that comes last; 0 for none. */
  last: number
}

/** Scratch space: what was found is good until the next text is read. */
const found: ConceptList = { size: 0, ids: new Uint8Array(conceptMax), last: 0 }
const seen = new Uint8Array(conceptMax + 1)

const add = (concept: number): void => {
  if (concept === 0) return
  found.last = concept
  if (seen[concept] === 1) return
  seen[concept] = 1
  found.ids[found.size++] = concept
}

/** The committed table; read once, from beside this module in src and in dist. */
const committed = decode(readFileSync(new URL("./concepts.bin", import.meta.url)))

/** The concepts of the tokens [from, to) of a list; a phrase lies wholly among them. */
export const conceptsIn = (
  { hashes }: Tokens,
  from: number,
  to: number,
  table: PhraseTable = committed
): ConceptList => {
  seen.fill(0)
  found.size = 0
  found.last = 0
  for (let start = from; start < to; start++) {
    const end = Math.min(to, start + phraseTokensMax)
    let key = offsetBasis
    for (let index = start; index < end; index++) {
      key = keyStep(key, hashes[index]!)
      const at = phraseAt(table, key)
      if (at < 0) break
      add(table.bytes[at]!)
      add(table.bytes[at + 1]!)
      if (table.bytes[at + 2] === 0) break
    }
  }
  return found
}
