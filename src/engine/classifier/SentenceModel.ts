/** A linear model over hashed features of one sentence, and its file format. */
import { finalise } from "../../stats/Hash.ts"

/**
 * A linear model that tells two kinds of sentence apart: `rows[bucket] * scale` is one weight, and the sum
 * over a sentence's buckets its log odds.
 */
export interface SentenceModel {
  readonly scale: number
  readonly rows: Int8Array
}

/**
 * Starts a sentence in a table of `count` buckets, a power of two: hashes given to what it returns reach
 * `visit` as buckets, each once. The scratch space is one for all sentences, so they may not overlap.
 */
export const distinctBuckets = (count: number) => {
  const marks = new Uint32Array(count)
  let mark = 0
  return (visit: (bucket: number) => void): (hash: number) => void => {
    if (mark === 0xffff_ffff) {
      marks.fill(0)
      mark = 0
    }
    mark++
    return (hash) => {
      const bucket = finalise(hash) & (count - 1)
      if (marks[bucket] === mark) return
      marks[bucket] = mark
      visit(bucket)
    }
  }
}

/** The scale as a 32-bit float, after it the rows. */
const headerBytes = 4

export const encode = ({ rows, scale }: SentenceModel): Uint8Array => {
  const bytes = new Uint8Array(headerBytes + rows.length)
  new Float32Array(bytes.buffer, 0, 1).set([scale])
  new Int8Array(bytes.buffer, headerBytes).set(rows)
  return bytes
}

/** Fails with a RangeError that names `file` when it has another size than a model of `count` buckets. */
export const decode = (bytes: Uint8Array, count: number, file: string): SentenceModel => {
  if (bytes.byteLength !== headerBytes + count) {
    throw new RangeError(`${file} has ${bytes.byteLength} bytes`)
  }
  const copy = new Uint8Array(bytes)
  return { scale: new Float32Array(copy.buffer, 0, 1)[0]!, rows: new Int8Array(copy.buffer, headerBytes) }
}
