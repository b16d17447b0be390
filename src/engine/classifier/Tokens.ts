/** The tokens of a text as hashes, and the concepts that they name, by one table for seven languages. */
import { readFileSync } from "node:fs"
import { TextCodes } from "../../domain/text/TextCodes.ts"
import { finalise, fnvStep, offsetBasis } from "../../stats/Hash.ts"

/** Tokens of a text as hashes, the first `size` of `hashes`, and its characters. */
export interface Tokens {
  readonly size: number
  readonly hashes: Int32Array
  readonly text: TextCodes
}

/** The kinds of characters below 192; all others are letters, or ideographs that are tokens alone. */
const blank = 0
const letter = 1
const digit = 2
const mark = 3
const kinds = Uint8Array.from({ length: 0xc0 }, (_, code) => {
  if (code >= 48 && code <= 57) return digit
  if ((code >= 97 && code <= 122) || [39, 95, 35, 43].includes(code)) return letter
  return code > 32 && code < 127 && ![34, 44, 46].includes(code) ? mark : blank
})
const isIdeograph = (code: number): boolean => code >= 0x3040 && code <= 0xd7af

/** Scratch space, which grows: the tokens of a text are good until the next one is read. */
const scratch = { size: 0, hashes: new Int32Array(2_048), text: new TextCodes(2_048) }

/** FNV-1a of each token of lower-case `text`: digit runs are one "0", ideographs and marks stand alone. */
export const tokens = (text: string): Tokens => {
  if (text.length > scratch.hashes.length) scratch.hashes = new Int32Array(2 * text.length)
  scratch.text.read(text)
  const { hashes, text: { codes, length } } = scratch
  let size = 0
  let hash = offsetBasis
  let isOpen = false
  let wasDigit = false
  for (let index = 0; index < length; index++) {
    const code = codes[index]!
    const kind = code < 0xc0 ? kinds[code]! : isIdeograph(code) ? mark : letter
    if (kind === letter) {
      hash = fnvStep(hash, code)
      isOpen = true
      wasDigit = false
    } else if (kind === digit) {
      if (!wasDigit) hash = fnvStep(hash, 48)
      isOpen = true
      wasDigit = true
    } else {
      if (isOpen) hashes[size++] = hash
      if (kind === mark) hashes[size++] = fnvStep(offsetBasis, code)
      hash = offsetBasis
      isOpen = false
      wasDigit = false
    }
  }
  if (isOpen) hashes[size++] = hash
  scratch.size = size
  return scratch
}

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

/**
 * An open hash table of phrases, two numbers a place: the key, and behind it its concepts and whether others
 * go on, a byte each; 0 for a free place. A look-up reads one line of memory.
 */
type PhraseTable = Int32Array

/** Fails with a RangeError when the file does not hold whole phrases. */
export const decode = (bytes: Uint8Array): PhraseTable => {
  if (bytes.length % phraseBytes !== 0) throw new RangeError(`concepts.bin has ${bytes.length} bytes`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const table = new Int32Array(2 ** Math.ceil(Math.log2(4 * bytes.length / phraseBytes + 4)))
  for (let at = 0; at < bytes.length; at += phraseBytes) {
    const key = view.getInt32(at, true)
    const place = placeOf(table, key)
    table[place] = key
    table[place + 1] = view.getInt32(at + 4, true)
  }
  return table
}

/** The place of a phrase; a free one for a phrase that the table lacks. */
const placeOf = (table: PhraseTable, key: number): number => {
  const mask = table.length - 2
  let place = key << 1 & mask
  while (table[place + 1] !== 0 && table[place] !== key) place = (place + 2) & mask
  return place
}

/** Distinct concepts of a stretch of text, the first `size` of `ids` in the order in which they come. */
export interface ConceptList {
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
      const named = table[placeOf(table, key) + 1]!
      if (named === 0) break
      add(named & 0xff)
      add(named >> 8 & 0xff)
      if (named >> 16 === 0) break
    }
  }
  return found
}
