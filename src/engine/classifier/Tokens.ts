/** Splits texts into tokens and hashes each of them. */
import { fnvStep, offsetBasis } from "../../stats/Hash.ts"

const isWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || code === 39 || code === 95 || code === 35 || code === 43 || code >= 0xc0
const isIdeograph = (code: number): boolean => code >= 0x3040 && code <= 0xd7af
const isPunctuation = (code: number): boolean => code > 32 && code < 127

/** FNV-1a of each token of lower-case `text`: digit runs are one "0", ideographs and marks stand alone. */
export const tokens = (text: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  let hash = offsetBasis
  let open = false
  let number = false
  const close = () => {
    if (open) found.push(hash)
    hash = offsetBasis
    open = false
    number = false
  }
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const digit = code >= 48 && code <= 57
    if (isIdeograph(code)) { close(); found.push(fnvStep(offsetBasis, code)) }
    else if (digit || isWord(code)) {
      if (!digit || !number) hash = fnvStep(hash, digit ? 48 : code)
      number = digit
      open = true
    } else {
      close()
      if (isPunctuation(code) && code !== 34 && code !== 44 && code !== 46) {
        found.push(fnvStep(offsetBasis, code))
      }
    }
  }
  close()
  return found
}
