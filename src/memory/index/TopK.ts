/* Keeps the rows of highest similarity. */

/** Rows, each with its similarity. */
export interface FoundRows {
  readonly rows: Int32Array
  readonly similarities: Float32Array
}

/** Rows that a {@link TopK} can distinguish, count. A lane is trimmed long before it has so many. */
const rowsMax = 2 ** 21

/** A similarity and, in the same bytes, its bits. */
const similarityAt = new Float32Array(1)
const bitsAt = new Int32Array(similarityAt.buffer)

/** Bits of a number of 32 bits in an order that is that of the numbers; its own inverse. */
const inOrder = (bits: number): number => bits < 0 ? bits ^ 0x7fffffff : bits

/**
 * A row and its similarity as one number of 53 bits, exactly: of two rows the less similar one is lower, and
 * of equally similar ones the later.
 */
const keyOf = (row: number, similarity: number): number => {
  // Plus 0, so that -0 is 0.
  similarityAt[0] = similarity + 0
  return inOrder(bitsAt[0]!) * rowsMax + (rowsMax - 1 - row)
}

const similarityOf = (key: number): number => {
  bitsAt[0] = inOrder(Math.floor(key / rowsMax))
  return similarityAt[0]!
}

const rowOf = (key: number): number => rowsMax - 1 - (key - Math.floor(key / rowsMax) * rowsMax)

/**
 * The `limit` rows of highest similarity in each of several groups; the earlier row wins a tie. A group is a
 * heap whose root is the row to be replaced next, so that offering a row costs a few comparisons. A row is
 * one number, so that a comparison reads two.
 */
export class TopK {
  readonly #limit: number
  readonly #counts: Int32Array
  /** The keys of the kept rows, `limit` places per group. */
  readonly #keys: Float64Array

  constructor(groups: number, limit: number) {
    this.#limit = limit
    this.#counts = new Int32Array(groups)
    this.#keys = new Float64Array(groups * limit)
  }

  /** Rows kept in all groups, count. */
  get size(): number {
    let size = 0
    for (const count of this.#counts) size += count
    return size
  }

  /** Puts a key in the place of the root of a heap of `limit` rows, and moves it down to its own. */
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
   * Offers a row, later than all rows that its group was offered before.
   *
   * @returns the similarity that a row must exceed from now on; offering a lower one changes nothing
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

  /** The lowest kept similarity of a group; 0 when no row was offered. */
  least(group: number): number {
    return this.#counts[group] === 0 ? 0 : similarityOf(this.#keys[group * this.#limit]!)
  }

  /** Writes a group's rows, most similar first, from index `from` on; yields the index behind them. */
  read(group: number, { rows, similarities }: FoundRows, from: number): number {
    const start = group * this.#limit
    const count = this.#counts[group]!
    // In order, the lowest first, the keys are the same heap.
    const keys = this.#keys.subarray(start, start + count).sort()
    for (let i = 0; i < count; i++) {
      const key = keys[count - 1 - i]!
      rows[from + i] = rowOf(key)
      similarities[from + i] = similarityOf(key)
    }
    return from + count
  }
}
