/* The lines of a spool file: each is a decision as JSON after the checksum of that text. */
import { Option, Schema } from "effect"
import { createReadStream } from "node:fs"
import { crc32 } from "node:zlib"
import { Decision } from "../../domain/Decision.ts"

/** Bytes read at once; the longest line, bytes. A decision takes some 10 kB. */
const chunkBytes = 2 ** 20
const lineBytesMax = 4 * 2 ** 20

const checksumOf = (json: string): string => crc32(json).toString(16).padStart(8, "0")

/** Two ends of line between two lines, so that no damaged byte takes two of them. JSON text has none. */
export const lineOf = (decision: Decision): string => {
  const json = JSON.stringify(decision)
  return `\n${checksumOf(json)} ${json}\n`
}

/** What is in some lines. */
export interface SpoolLines {
  readonly decisions: ReadonlyArray<Decision>
  /** Lines that are not as they were written, count. */
  readonly damaged: number
  /** Whole lines without a decision that this version can read, count. */
  readonly unreadable: number
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.toCodecJson(Decision)))

const read = (bytes: Buffer): SpoolLines => {
  const lines = bytes.toString("utf8").split("\n").filter((line) => line !== "")
  const whole = lines.filter((line) => line.startsWith(`${checksumOf(line.slice(9))} `))
  const decisions = whole.flatMap((line) => Option.toArray(decode(line.slice(9))))
  return { decisions, damaged: lines.length - whole.length, unreadable: whole.length - decisions.length }
}

/** Reads a file from its beginning, some lines at a time. */
export const linesIn = async function*(path: string): AsyncGenerator<SpoolLines> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    rest = Buffer.concat([rest, chunk])
    const end = rest.lastIndexOf("\n") + 1
    yield read(rest.subarray(0, end))
    // The beginning of what is too long stays, so that the rest of it is not a line.
    rest = rest.length - end > lineBytesMax ? Buffer.from("?") : rest.subarray(end)
  }
  // A process that was killed while it wrote leaves a part of a line: that is no damage.
  yield { ...read(rest), damaged: 0 }
}
