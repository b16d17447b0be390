/* Reads the bytes of a row as an object of JSON. */
import { isRow, type Row } from "../formats/Values.ts"

/** Rows whose depth is looked at before they are parsed, bytes: parsing takes memory with the depth. */
const deepBytesMin = 2 ** 20

/** Deepest nesting of a large row that is parsed: no log's is above some tens. Chosen. */
const depthMax = 1_000

const isTooDeep = (bytes: Uint8Array): boolean => {
  let depth = 0
  let isInText = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (isInText) {
      if (byte === 0x5c) i++
      else if (byte === 0x22) isInText = false
    } else if (byte === 0x22) isInText = true
    else if (byte === 0x7b || byte === 0x5b) {
      depth++
      if (depth > depthMax) return true
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return false
}

const text = new TextDecoder()

/** The object; null for anything else, and for one that is nested too deeply. */
export const parseRow = (bytes: Uint8Array): Row | null => {
  if (bytes.length >= deepBytesMin && isTooDeep(bytes)) return null
  let value: unknown
  try {
    value = JSON.parse(text.decode(bytes))
  } catch {
    // Not JSON: it is counted as such by every caller.
    return null
  }
  return isRow(value) ? value : null
}
