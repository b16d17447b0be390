/* Reads decisions from a spool file, a few at a time. */
import { open } from "node:fs/promises"
import type { Decision } from "../../domain/Decision.ts"
import { decisionFromJson } from "./DecisionJson.ts"
import { headerSize, makeFrameReader, spoolVersion, versionOf } from "./SpoolFrames.ts"

/** Bytes read at once. */
const chunkBytes = 2 ** 20

export interface SpoolSummary {
  /** The file's version; null without a header, as when its process was killed while it made the file. */
  readonly version: number | null
  readonly isKnown: boolean
  /** Damaged places before a whole frame, count. */
  readonly damaged: number
  readonly isTorn: boolean
  /** Whole frames without a decision that this version can read, count. */
  readonly unreadable: number
}

/** Reads a file from its beginning; returns a summary once all is read. */
export const readSpool = async function*(
  path: string
): AsyncGenerator<ReadonlyArray<Decision>, SpoolSummary> {
  const file = await open(path, "r")
  try {
    const header = Buffer.alloc(headerSize)
    const { bytesRead } = await file.read(header, 0, headerSize, 0)
    const version = versionOf(header.subarray(0, bytesRead))
    const isKnown = version === spoolVersion || bytesRead < headerSize
    const reader = makeFrameReader()
    let unreadable = 0
    for (let at = headerSize, isLast = !isKnown; !isLast;) {
      const chunk = Buffer.alloc(chunkBytes)
      const { bytesRead: read } = await file.read(chunk, 0, chunkBytes, at)
      at += read
      isLast = read === 0
      const decisions: Array<Decision> = []
      for (const payload of reader.read(chunk.subarray(0, read), isLast)) {
        const decision = decisionFromJson(payload.toString("utf8"))
        if (decision === null) unreadable++
        else decisions.push(decision)
      }
      yield decisions
    }
    return { version, isKnown, damaged: reader.damaged(), isTorn: reader.isTorn(), unreadable }
  } finally {
    await file.close()
  }
}
