/* The fixed loop that the pure path is compared with. Never change it: every kept figure would lose its meaning. */

interface Row {
  readonly name: string
  readonly key: number
  readonly share: number
  readonly tags: ReadonlyArray<string>
}

const text = "Fix the failing unit test of the cart, which rounds 12.5 % of tax twice. ".repeat(24)
const rows = 512
const dimensions = 128
const vectors = Int8Array.from({ length: rows * dimensions }, (_, i) => (i * 31 + (i >> 7)) % 255 - 127)

/** Words of the text by their hashes: strings, numbers and a map. */
const countWords = (): number => {
  const counts = new Map<number, number>()
  let hash = 2_166_136_261
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i) | 32
    if (code > 96 && code < 123) hash = Math.imul(hash ^ code, 16_777_619)
    else {
      counts.set(hash & 4_095, (counts.get(hash & 4_095) ?? 0) + 1)
      hash = 2_166_136_261
    }
  }
  return counts.size
}

/** Products of rows of small numbers, as a lane is scanned. */
const multiply = (): number => {
  let best = -Infinity
  for (let row = 0; row < rows; row++) {
    let sum = 0
    for (let i = 0, at = row * dimensions; i < dimensions; i++) sum += vectors[at + i]! * vectors[i]!
    if (sum > best) best = sum
  }
  return best
}

const places = Int32Array.from({ length: 2 ** 20 }, (_, i) => Math.imul(i, 668_265_263) + 374_761_393 >>> 12)
const names = new Map(
  Array.from({ length: 20_000 }, (_, i) => [`name-${i * 7_919 % 20_011}`, { at: i, share: 1 / (i + 1) }])
)
const looked = [...names.keys()].filter((_, i) => i % 61 === 0)

/** Reads all over 4 MB and a large map: what other programs on the machine make slower, they make slower here, too. */
const walk = (seed: number): number => {
  let at = seed
  for (let step = 0; step < 1_000; step++) at = places[(at + step * 4_099) & 2 ** 20 - 1]!
  let sum = at
  for (const name of looked) sum += names.get(name)?.share ?? 0
  return sum
}

/** Objects that are made, sorted and written as text, as an answer is. */
const writeRows = (seed: number): number => {
  const made: Array<Row> = []
  for (let i = 0; i < 96; i++) {
    const key = (seed + i * 7_919) % 10_007
    made.push({ name: `row-${i}`, key, share: Math.exp(-key / 5_000), tags: ["one", "two"] })
  }
  made.sort((one, other) => one.share - other.share || one.key - other.key)
  return JSON.stringify(made).length
}

/** One turn of the loop, some 100 us of processor time; yields a number, so that nothing of it is left out. */
export const reference = (turn: number): number => countWords() + multiply() + walk(turn) + writeRows(turn)
