/* Reads a file's lines in batches. */
import { createReadStream } from "node:fs"
import { lineLengthMax } from "./AccountFile.ts"

export interface NumberedLine {
  readonly number: number
  readonly text: string
}

const batchLines = 500
/** Number of characters after which a batch ends, so that long lines do not take much memory. */
const batchLength = 8_000_000

export class LineTooLong extends Error {
  readonly number: number
  constructor(number: number) {
    super(`line ${number} is too long`)
    this.number = number
  }
}

/** Throws if the file cannot be read, and {@link LineTooLong} for a line that is too long. */
export async function* readLines(path: string): AsyncGenerator<ReadonlyArray<NumberedLine>> {
  let batch: Array<NumberedLine> = []
  let [length, number] = [0, 0]
  let rest = ""
  for await (const chunk of createReadStream(path, { encoding: "utf8", highWaterMark: 1_000_000 })) {
    const pieces = (rest + String(chunk)).split("\n")
    rest = pieces.pop() ?? ""
    for (const text of pieces) {
      batch.push({ number: ++number, text })
      length += text.length
    }
    if (rest.length > lineLengthMax) throw new LineTooLong(number + 1)
    if (batch.length < batchLines && length < batchLength) continue
    yield batch
    batch = []
    length = 0
  }
  if (rest !== "") batch.push({ number: number + 1, text: rest })
  yield batch
}
