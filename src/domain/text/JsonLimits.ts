/** Limits of nesting depth and number of values, checked before a JSON document is parsed. */

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const isOpening = (byte: number): boolean => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number): boolean => byte === 0x5d || byte === 0x7d

/** The index of the quote that ends the string from `start`; the length if there is no quote. */
const endOfString = (bytes: Uint8Array, start: number): number => {
  for (let end = bytes.indexOf(quote, start); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let before = end
    while (before > start && bytes[before - 1] === backslash) before--
    // An odd number of backslashes escapes the quote.
    if ((end - before) % 2 === 0) return end
  }
  return bytes.length
}

export interface JsonLimits {
  readonly depth: number
  readonly values: number
}

/**
 * Returns the first exceeded limit; null if there is none. The raw bytes are counted before parsing, because
 * `JSON.parse` accepts a million levels and blocks the event loop meanwhile. Malformed text is left to the
 * parser, which refuses it.
 */
export const exceededLimit = (bytes: Uint8Array, { depth, values }: JsonLimits): keyof JsonLimits | null => {
  let level = 0
  // The document counts as one value. Every comma and every bracket that is not empty begins another value.
  let count = 1
  let isOpened = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (isSpace(byte)) continue
    if (isClosing(byte)) {
      level--
    } else {
      if (isOpened || byte === comma) count++
      if (count > values) return "values"
    }
    isOpened = isOpening(byte)
    if (byte === quote) i = endOfString(bytes, i + 1)
    else if (isOpened && ++level > depth) return "depth"
  }
  return null
}
