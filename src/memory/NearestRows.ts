/** The `limit` rows of highest similarity among those offered, kept sorted; the earlier row wins a tie. */
export class NearestRows {
  readonly #limit: number
  readonly #rows: Array<number> = []
  readonly #similarities: Array<number> = []

  constructor(limit: number) {
    this.#limit = limit
  }

  offer(row: number, similarity: number): void {
    const count = this.#rows.length
    if (count >= this.#limit && (count === 0 || similarity <= this.#similarities[count - 1]!)) return
    let at = count < this.#limit ? count : count - 1
    while (at > 0 && this.#similarities[at - 1]! < similarity) {
      this.#similarities[at] = this.#similarities[at - 1]!
      this.#rows[at] = this.#rows[at - 1]!
      at--
    }
    this.#similarities[at] = similarity
    this.#rows[at] = row
  }

  /** What a similarity must pass to be kept; offering less changes nothing. */
  floor(): number {
    return this.#rows.length < this.#limit ? -Infinity : this.#similarities[this.#limit - 1] ?? Infinity
  }

  /** The lowest similarity kept; 0 when nothing was offered. */
  least(): number {
    return this.#similarities[this.#similarities.length - 1] ?? 0
  }

  /** Most similar first. */
  map<A>(of: (row: number, similarity: number) => A): Array<A> {
    return this.#rows.map((row, index) => of(row, this.#similarities[index]!))
  }
}
