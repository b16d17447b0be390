/** The trained model of requests: how much a sentence asks for something. */
import { readFileSync } from "node:fs"
import { fnvStep, offsetBasis } from "../../stats/Hash.ts"
import { decode, distinctBuckets, type SentenceModel } from "./SentenceModel.ts"
import { tokens } from "./Tokens.ts"

/** Buckets of the model that tells a request from what is pasted beside it. */
export const requestBuckets = 32_768

const unitChars = 200
/** Length of a word's beginning that is hashed, characters: inflected words share it. */
const prefixChars = 5
const openingWords = 3
const seeds = { words: 0x17, first: 0x2b, last: 0x35, prefix: 0x47, shape: 0x59 }

const begin = distinctBuckets(requestBuckets)

/** Calls `visit` with a hash of the first characters of each long word. */
const eachPrefix = (lower: string, visit: (hash: number) => void): void => {
  let length = 0
  let hash = offsetBasis
  for (let index = 0; index < lower.length; index++) {
    const code = lower.charCodeAt(index)
    const isLetter = (code >= 97 && code <= 122) || code >= 0xc0
    hash = isLetter ? fnvStep(length === 0 ? offsetBasis : hash, code) : offsetBasis
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
  const add = begin(visit)
  for (let index = 0; index < list.length; index++) {
    add(fnvStep(list[index]!, seeds.words))
    add(fnvStep(fnvStep(index === 0 ? offsetBasis : list[index - 1]!, list[index]!), seeds.words + 1))
  }
  for (let index = 0; index < Math.min(openingWords, list.length); index++) {
    add(fnvStep(fnvStep(list[index]!, index), seeds.first))
  }
  if (list.length > 0) add(fnvStep(list.at(-1)!, seeds.last))
  eachPrefix(lower, (prefix) => { add(fnvStep(prefix, seeds.prefix)) })
  for (const trait of traits) add(fnvStep(fnvStep(offsetBasis, trait), seeds.shape))
}

/** Log odds that a sentence asks for something. */
export const requestScore = (
  unit: string,
  traits: ReadonlyArray<number>,
  { rows, scale }: SentenceModel
): number => {
  let sum = 0
  eachRequestBucket(unit, traits, (bucket) => { sum += rows[bucket]! })
  return sum * scale
}

/** Fails with a RangeError when the file has another size than this model. */
export const decodeRequest = (bytes: Uint8Array): SentenceModel =>
  decode(bytes, requestBuckets, "request.bin")

/** The committed model; read once, from beside this module in src and in dist. */
export const requestModel = decodeRequest(readFileSync(new URL("./request.bin", import.meta.url)))
