/* The bytes of a spool file: a header, then a frame per payload. It is independent of what a payload is. */
import { crc32 } from "node:zlib"

const magic = Buffer.from("SXTSPOOL")

/** Raised when decisions are written in a form that this version cannot read. */
export const spoolVersion = 1

/** The beginning of a file: its name, and the version of what follows. */
export const spoolHeader = (version = spoolVersion): Buffer => {
  const bytes = Buffer.alloc(magic.length + 4)
  magic.copy(bytes)
  bytes.writeUInt32BE(version, magic.length)
  return bytes
}

export const headerSize = spoolHeader().length

/** The version in a header; null when the bytes are no header. */
export const versionOf = (bytes: Buffer): number | null =>
  bytes.length >= headerSize && bytes.subarray(0, magic.length).equals(magic)
    ? bytes.readUInt32BE(magic.length)
    : null

/**
 * The beginning of each frame. A length is below 2^24, so the byte after the marker is 0, which JSON text
 * never contains: no caller's text can look like a frame.
 */
const marker = Buffer.from("SXF1")
/** Size of marker, length and CRC-32 of the payload, bytes. */
const frameHead = marker.length + 8

/** Longest payload, bytes. A decision takes some 10 kB. */
export const payloadMax = 2 ** 20

/** A payload in its frame. */
export const frameOf = (payload: Buffer): Buffer => {
  const head = Buffer.alloc(frameHead)
  marker.copy(head)
  head.writeUInt32BE(payload.length, marker.length)
  head.writeUInt32BE(crc32(payload), marker.length + 4)
  return Buffer.concat([head, payload])
}

/**
 * The payload of the frame at `at`; `short` when more bytes are needed, `bad` when there is no whole frame.
 */
const payloadAt = (bytes: Buffer, at: number): Buffer | "short" | "bad" => {
  const marked = bytes.subarray(at, at + marker.length)
  if (!marked.equals(marker.subarray(0, marked.length))) return "bad"
  if (bytes.length - at < frameHead) return "short"
  const length = bytes.readUInt32BE(at + marker.length)
  if (length > payloadMax) return "bad"
  const from = at + frameHead
  if (bytes.length < from + length) return "short"
  const payload = bytes.subarray(from, from + length)
  return crc32(payload) === bytes.readUInt32BE(at + marker.length + 4) ? payload : "bad"
}

interface FrameReader {
  /** The payloads that these bytes complete; `isLast` says that no more will come. */
  readonly read: (bytes: Buffer, isLast: boolean) => ReadonlyArray<Buffer>
  /** Damaged places before a whole frame, count. */
  readonly damaged: () => number
  /** Whether the file ends with a part of a frame, as it does when its process was killed while it wrote. */
  readonly isTorn: () => boolean
}

/** Reads frames from a file's bytes after its header, and finds the next frame after a damaged place. */
export const makeFrameReader = (): FrameReader => {
  let rest: Buffer = Buffer.alloc(0)
  let damaged = 0
  let isInGap = false
  return {
    read: (bytes, isLast) => {
      rest = Buffer.concat([rest, bytes])
      const payloads: Array<Buffer> = []
      let at = 0
      while (at < rest.length) {
        const payload = payloadAt(rest, at)
        if (payload === "short" && !isLast) break
        if (typeof payload === "string") {
          isInGap = true
          const next = rest.indexOf(marker, at + 1)
          // The last bytes may be the beginning of a marker.
          at = next >= 0 ? next : Math.max(at + 1, rest.length - marker.length + 1)
          if (next < 0 && !isLast) break
          continue
        }
        if (isInGap) damaged++
        isInGap = false
        payloads.push(payload)
        at += frameHead + payload.length
      }
      rest = rest.subarray(at)
      return payloads
    },
    damaged: () => damaged,
    isTorn: () => isInGap || rest.length > 0
  }
}
