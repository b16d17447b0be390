/** The trained model of requests: how much a sentence asks for something. */
import { readFileSync } from "node:fs"
import type { TextCodes } from "../../domain/text/TextCodes.ts"
import { fnvStep, offsetBasis } from "../../stats/Hash.ts"
import { Buckets, decode, type SentenceModel } from "./SentenceModel.ts"
import { tokens } from "./Tokens.ts"

/** Buckets of the model that tells a request from what is pasted beside it. */
export const requestBuckets = 32_768

const unitChars = 200
/** Length of a word's beginning that is hashed, characters: inflected words share it. */
const prefixChars = 5
const openingWords = 3
const seeds = { words: 0x17, first: 0x2b, last: 0x35, prefix: 0x47, shape: 0x59 }

const buckets = new Buckets(requestBuckets)

/** Adds a hash of the first characters of each long word. */
const addPrefixes = ({ codes, length }: TextCodes): void => {
  let letters = 0
  let hash = offsetBasis
  for (let index = 0; index < length; index++) {
    const code = codes[index]!
    if ((code >= 97 && code <= 122) || code >= 0xc0) {
      hash = fnvStep(letters === 0 ? offsetBasis : hash, code)
      if (++letters === prefixChars) buckets.add(fnvStep(hash, seeds.prefix))
    } else letters = 0
  }
}

/** The buckets of one sentence, good until the next one; `traits` are numbers that hold of it. */
export const requestBucketsOf = (unit: string, traits: ReadonlyArray<number>): Buckets => {
  const { hashes, size, text } = tokens(unit.trim().slice(0, unitChars).toLowerCase())
  buckets.begin()
  for (let index = 0; index < size; index++) {
    buckets.add(fnvStep(hashes[index]!, seeds.words))
    const previous = index === 0 ? offsetBasis : hashes[index - 1]!
    buckets.add(fnvStep(fnvStep(previous, hashes[index]!), seeds.words + 1))
  }
  for (let index = 0; index < Math.min(openingWords, size); index++) {
    buckets.add(fnvStep(fnvStep(hashes[index]!, index), seeds.first))
  }
  if (size > 0) buckets.add(fnvStep(hashes[size - 1]!, seeds.last))
  addPrefixes(text)
  for (const trait of traits) buckets.add(fnvStep(fnvStep(offsetBasis, trait), seeds.shape))
  return buckets
}

/** Log odds that a sentence asks for something. */
export const requestScore = (unit: string, traits: ReadonlyArray<number>, weights: SentenceModel): number =>
  requestBucketsOf(unit, traits).logOdds(weights)

/** Fails with a RangeError when the file has another size than this model. */
export const decodeRequest = (bytes: Uint8Array): SentenceModel =>
  decode(bytes, requestBuckets, "request.bin")

/** The committed model; read once, from beside this module in src and in dist. */
export const requestModel = decodeRequest(readFileSync(new URL("./request.bin", import.meta.url)))
