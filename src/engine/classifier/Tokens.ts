/** The tokens of a text as hashes, and the concepts that they name in a table for seven languages. */
import { readFileSync } from "node:fs"
import { TextCodes } from "../../domain/text/TextCodes.ts"
import { finalise, fnvStep, offsetBasis } from "../../stats/Hash.ts"

/** The first `size` entries of `hashes` are the tokens of `text`. */
export interface Tokens {
  readonly size: number
  readonly hashes: Int32Array
  readonly text: TextCodes
}

/** Kinds of the characters below code 192. */
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

/** The tokens of a text are valid until the next text is read. */
const scratch = { size: 0, hashes: new Int32Array(2_048), text: new TextCodes(2_048) }

/** Computes the FNV-1a hash of each token of lower-case `text`. Digits in a row are read as one 0. */
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

/** Maximum number of tokens of a phrase: three words with their hyphens, or six ideographs. */
export const phraseTokensMax = 6

/** Largest number of a concept (a meaning of phrases in several languages); 0 means no concept. */
export const conceptMax = 255

/** Computes the key of a phrase from the key of the tokens `before` its last one, or `offsetBasis`. */
export const keyStep = (before: number, token: number): number => finalise(fnvStep(before, token))

/** A phrase, or the beginning of a longer phrase; a concept of 0 means none. */
export interface Phrase {
  readonly key: number
  readonly concepts: readonly [first: number, second: number]
  readonly goesOn: boolean
}

/** Bytes of a phrase in the file: 4 for its key, 1 for each of two concepts, 1 for `goesOn`, 1 of padding. */
const phraseBytes = 8

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
 * A hash table with two numbers in each place: a phrase's key, and a number whose bytes are the phrase's two
 * concepts and `goesOn`. A place whose second number is 0 is free.
 */
type PhraseTable = Int32Array

/** Throws a RangeError if the file does not hold whole phrases. */
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

/** Returns the place of a phrase, or a free place if the table does not have the phrase. */
const placeOf = (table: PhraseTable, key: number): number => {
  const mask = table.length - 2
  let place = key << 1 & mask
  while (table[place + 1] !== 0 && table[place] !== key) place = (place + 2) & mask
  return place
}

/** The distinct concepts are the first `size` entries of `ids`, in the order of the text. */
export interface ConceptList {
  size: number
  readonly ids: Uint8Array
  /** The number of the concept that a text names last, or 0 if the text names none. */
  last: number
}

/** The concepts are valid until the next text is read. */
const found: ConceptList = { size: 0, ids: new Uint8Array(conceptMax), last: 0 }
const seen = new Uint8Array(conceptMax + 1)

const add = (concept: number): void => {
  if (concept === 0) return
  found.last = concept
  if (seen[concept] === 1) return
  seen[concept] = 1
  found.ids[found.size++] = concept
}

const committed = decode(readFileSync(new URL("./concepts.bin", import.meta.url)))

/** Returns the concepts of the phrases whose tokens are all within [from, to). */
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
