/* Selects the rows with the highest similarity in each of several groups. */

export interface FoundRows {
  readonly rows: Int32Array
  readonly similarities: Float32Array
}

/** Upper limit of row numbers. A lane's index is trimmed long before it has two million rows. */
const rowsMax = 2 ** 21

/** One number as a float and, in the same bytes, as an integer. */
const similarityAt = new Float32Array(1)
const bitsAt = new Int32Array(similarityAt.buffer)

/** Maps a 32-bit float's bits to an integer in the same order, and such an integer back to the bits. */
const inOrder = (bits: number): number => bits < 0 ? bits ^ 0x7fffffff : bits

/**
 * Encodes a row and its similarity as one key of 53 bits. A less similar row has a lower key. Of equally
 * similar rows, the row with the higher index has the lower key.
 */
const keyOf = (row: number, similarity: number): number => {
  // Adding 0 turns a negative zero into 0.
  similarityAt[0] = similarity + 0
  return inOrder(bitsAt[0]!) * rowsMax + (rowsMax - 1 - row)
}

const similarityOf = (key: number): number => {
  bitsAt[0] = inOrder(Math.floor(key / rowsMax))
  return similarityAt[0]!
}

const rowOf = (key: number): number => rowsMax - 1 - (key - Math.floor(key / rowsMax) * rowsMax)

/**
 * Keeps the `limit` most similar rows of each group. Each group is a heap: its root is the row to replace
 * next, so offering a row costs a few comparisons.
 */
export class TopK {
  readonly #limit: number
  readonly #counts: Int32Array
  readonly #keys: Float64Array

  constructor(groups: number, limit: number) {
    this.#limit = limit
    this.#counts = new Int32Array(groups)
    this.#keys = new Float64Array(groups * limit)
  }

  get size(): number {
    let size = 0
    for (const count of this.#counts) size += count
    return size
  }

  #replaceRoot(start: number, key: number): void {
    const keys = this.#keys
    const limit = this.#limit
    let at = 0
    for (let child = 1; child < limit; child = 2 * at + 1) {
      let least = keys[start + child]!
      if (child + 1 < limit && keys[start + child + 1]! < least) least = keys[start + ++child]!
      if (key <= least) break
      keys[start + at] = least
      at = child
    }
    keys[start + at] = key
  }

  /**
   * Keeps a row if it is among its group's most similar ones. Rows are offered in ascending order.
   * @returns the similarity that later rows must exceed to be kept
   */
  offer(group: number, row: number, similarity: number): number {
    const limit = this.#limit
    const start = group * limit
    const keys = this.#keys
    const count = this.#counts[group]!
    if (limit === 0) return Infinity
    const key = keyOf(row, similarity)
    if (count === limit) {
      if (key > keys[start]!) this.#replaceRoot(start, key)
      return similarityOf(keys[start]!)
    }
    let at = count
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (key >= keys[start + parent]!) break
      keys[start + at] = keys[start + parent]!
      at = parent
    }
    keys[start + at] = key
    this.#counts[group] = count + 1
    return count + 1 < limit ? -Infinity : similarityOf(keys[start]!)
  }

  /** Writes a group's rows, most similar first. Returns the index after the last written row. */
  read(group: number, { rows, similarities }: FoundRows, from: number): number {
    const start = group * this.#limit
    const count = this.#counts[group]!
    // The keys may be sorted in place, because ascending keys are still a valid heap.
    const keys = this.#keys.subarray(start, start + count).sort()
    for (let i = 0; i < count; i++) {
      const key = keys[count - 1 - i]!
      rows[from + i] = rowOf(key)
      similarities[from + i] = similarityOf(key)
    }
    return from + count
  }
}
