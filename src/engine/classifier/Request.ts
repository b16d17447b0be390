import { readFileSync } from "node:fs"
import { finalise, mix, offsetBasis, tokens } from "./Hash.ts"

/** Size of the hashed table that tells a request from what is pasted beside it. */
export const requestBuckets = 32_768
/** One weight per bucket in units of `scale`; a sum over 0 means that a sentence asks for something. */
export interface RequestWeights {
  readonly scale: number
  readonly rows: Int8Array
}

const unitChars = 200
/** Inflected words share their beginnings. */
const prefixChars = 5
const openingWords = 3
const seeds = { words: 0x17, first: 0x2b, last: 0x35, prefix: 0x47, shape: 0x59 }

/** Which call last met a bucket; scratch space of one synchronous call, as in `Features.ts`. */
const marks = new Uint32Array(requestBuckets)
let mark = 0

/** Calls `visit` with a hash of the first characters of each long word. */
const eachPrefix = (lower: string, visit: (hash: number) => void): void => {
  let length = 0
  let hash = offsetBasis
  for (let index = 0; index < lower.length; index++) {
    const code = lower.charCodeAt(index)
    const isLetter = (code >= 97 && code <= 122) || code >= 0xc0
    hash = isLetter ? mix(length === 0 ? offsetBasis : hash, code) : offsetBasis
    length = isLetter ? length + 1 : 0
    if (length === prefixChars) visit(hash)
  }
}

/** Calls `visit` with each distinct bucket of one sentence; `traits` are numbers that hold of it. */
export const eachRequestBucket = (
  unit: string,
  traits: ReadonlyArray<number>,
  visit: (bucket: number) => void
): void => {
  const lower = unit.trim().slice(0, unitChars).toLowerCase()
  const list = tokens(lower)
  if (mark === 0xffff_ffff) {
    marks.fill(0)
    mark = 0
  }
  mark++
  const add = (hash: number): void => {
    const bucket = finalise(hash) & (requestBuckets - 1)
    if (marks[bucket] === mark) return
    marks[bucket] = mark
    visit(bucket)
  }
  for (let index = 0; index < list.length; index++) {
    add(mix(list[index]!, seeds.words))
    add(mix(mix(index === 0 ? offsetBasis : list[index - 1]!, list[index]!), seeds.words + 1))
  }
  for (let index = 0; index < Math.min(openingWords, list.length); index++) {
    add(mix(mix(list[index]!, index), seeds.first))
  }
  if (list.length > 0) add(mix(list.at(-1)!, seeds.last))
  eachPrefix(lower, (prefix) => { add(mix(prefix, seeds.prefix)) })
  for (const trait of traits) add(mix(mix(offsetBasis, trait), seeds.shape))
}

/** Log odds that a sentence asks for something. */
export const requestScore = (
  unit: string,
  traits: ReadonlyArray<number>,
  { rows, scale }: RequestWeights
): number => {
  let sum = 0
  eachRequestBucket(unit, traits, (bucket) => { sum += rows[bucket]! })
  return sum * scale
}

const headerBytes = 4
export const encodeRequest = ({ rows, scale }: RequestWeights): Uint8Array => {
  const bytes = new Uint8Array(headerBytes + requestBuckets)
  new Float32Array(bytes.buffer, 0, 1).set([scale])
  new Int8Array(bytes.buffer, headerBytes).set(rows)
  return bytes
}
/** Fails with a RangeError when the file has another size than this model. */
export const decodeRequest = (bytes: Uint8Array): RequestWeights => {
  if (bytes.byteLength !== headerBytes + requestBuckets) {
    throw new RangeError(`request.bin has ${bytes.byteLength} bytes`)
  }
  const copy = new Uint8Array(bytes)
  return { scale: new Float32Array(copy.buffer, 0, 1)[0]!, rows: new Int8Array(copy.buffer, headerBytes) }
}

/** The committed model; read once, from beside this module in src and in dist. */
export const request = decodeRequest(readFileSync(new URL("./request.bin", import.meta.url)))
