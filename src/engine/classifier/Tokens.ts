/** Splits texts into tokens and hashes each of them. */
import { TextCodes } from "../../domain/text/TextCodes.ts"
import { fnvStep, offsetBasis } from "../../stats/Hash.ts"

/** Tokens of a text as hashes, the first `size` of `hashes`, and its characters. */
export interface Tokens {
  readonly size: number
  readonly hashes: Int32Array
  readonly text: TextCodes
}

/** What a character below 192 is to a token; the others are letters, or ideographs that stand alone. */
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
