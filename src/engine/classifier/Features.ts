/** Hashed features of a task: the input of the model of task types and difficulty. */
import { TextCodes } from "../../domain/text/TextCodes.ts"
import { finalise, fnvStep, offsetBasis } from "../../stats/Hash.ts"
import { cueCount, cues, isLong } from "./Cues.ts"
import { frameModel, withoutFrame } from "./FrameModel.ts"
import { instruction, requestModel } from "./Instruction.ts"
import { withoutMaterial } from "./Material.ts"
import { squeeze } from "./Normalise.ts"
import { BucketSet, type SentenceModel } from "./SentenceModel.ts"
import { type ConceptList, conceptsIn, type Tokens, tokens } from "./Tokens.ts"

export const bucketCount = 65_536

/** Weight of each block of features, chosen by ablations of the training. */
const weightOf = {
  instruction: 1,
  characters: 0.7,
  head: 0.5,
  tail: 0.5,
  body: 0.3,
  structure: 1.3 / Math.sqrt(12)
}
const conceptWeightOf = { instruction: 1, first: 0.5, last: 0.3, head: 0.5, tail: 0.5, body: 0.3 }
/** Each block has another seed, so that the same word in two blocks makes two features. */
const seedOf = { instruction: 0x51, characters: 0xc3, head: 0x1d, tail: 0x7a, body: 0xb0, structure: 0x5c }
const conceptSeedOf = { instruction: 0x11, first: 0x12, last: 0x13, head: 0x14, tail: 0x15, body: 0x16 }

const characterSpan = 220
const edgeTokens = 28
const edgeChars = 260
const bodyChars = 800
/** Maximum number of features of a task. */
export const featuresMax = 6_000

export interface Features {
  readonly size: number
  readonly buckets: Uint16Array
  readonly values: Float32Array
}

const met = new BucketSet(bucketCount)
const scratchBuckets = new Uint16Array(featuresMax)
const scratchValues = new Float32Array(featuresMax)
const block = new TextCodes(characterSpan + 1)

class Builder {
  readonly buckets = scratchBuckets
  readonly values = scratchValues
  size = 0
  #start = 0
  constructor() {
    met.clear()
  }

  add(hash: number): void {
    const bucket = finalise(hash) & (bucketCount - 1)
    if (this.size < featuresMax && met.add(bucket)) this.buckets[this.size++] = bucket
  }

  /** Ends a block and sets the value of its entries, which `unit` scales to length one. */
  close(weight: number, unit = true): void {
    this.values.fill(unit ? weight / Math.sqrt(this.size - this.#start || 1) : weight, this.#start, this.size)
    this.#start = this.size
    met.clear()
  }

  words({ hashes }: Tokens, from: number, to: number, seed: number, pairs: boolean): void {
    for (let index = from; index < to; index++) {
      this.add(fnvStep(hashes[index]!, seed))
      if (pairs && index > from) this.add(fnvStep(fnvStep(hashes[index - 1]!, hashes[index]!), seed + 1))
    }
  }

  concepts({ ids, last, size }: ConceptList, block: "instruction" | "head" | "tail" | "body"): void {
    for (let index = 0; index < size; index++) this.concept(ids[index]!, conceptSeedOf[block])
    this.close(conceptWeightOf[block])
    if (block !== "instruction" || size === 0) return
    this.concept(ids[0]!, conceptSeedOf.first)
    this.close(conceptWeightOf.first)
    this.concept(last, conceptSeedOf.last)
    this.close(conceptWeightOf.last)
  }

  concept(id: number, seed: number): void {
    this.add(fnvStep(fnvStep(offsetBasis, id), seed))
  }

  /** Adds all sequences of 3 to 5 characters of a text. Every digit is read as 0. */
  characters(text: string, seed: number): void {
    block.read(text)
    const { codes: letters, length } = block
    for (let index = 0; index < length; index++) {
      if (letters[index]! >= 48 && letters[index]! <= 57) letters[index] = 48
    }
    const first = fnvStep(offsetBasis, seed)
    for (let start = 0; start + 3 <= length; start++) {
      const two = fnvStep(fnvStep(first, letters[start]!), letters[start + 1]!)
      const three = fnvStep(two, letters[start + 2]!)
      this.add(fnvStep(three, 3))
      if (start + 4 > length) return
      const four = fnvStep(three, letters[start + 3]!)
      this.add(fnvStep(four, 4))
      if (start + 5 <= length) this.add(fnvStep(fnvStep(four, letters[start + 4]!), 5))
    }
  }
}

export interface Reader {
  readonly frame: SentenceModel
  readonly request: SentenceModel
}
const committed: Reader = { frame: frameModel, request: requestModel }

export const features = (task: string, reader: Reader = committed): Features =>
  featuresOf(withoutMaterial(squeeze(task)), reader)

/**
 * Computes the features of the text that `Material` returns: n-grams of the request, words at both ends and
 * in the body, concepts, and structure cues.
 */
export const featuresOf = (asked: string, reader: Reader = committed): Features => {
  const masked = withoutFrame(asked, reader.frame)
  const span = instruction(masked, reader.request)
  const lower = span.toLowerCase()
  const builder = new Builder()
  const inSpan = tokens(lower)
  builder.words(inSpan, 0, inSpan.size, seedOf.instruction, true)
  builder.close(weightOf.instruction)
  builder.concepts(conceptsIn(inSpan, 0, inSpan.size), "instruction")
  builder.characters(lower.slice(0, characterSpan).replace(/\s+/g, " "), seedOf.characters)
  builder.close(weightOf.characters)
  const isShort = masked.length <= 2 * edgeChars
  const atEdges = tokens(isShort
    ? masked.toLowerCase()
    : `${masked.slice(0, edgeChars)}\n${masked.slice(-edgeChars)}`.toLowerCase())
  const headEnd = Math.min(edgeTokens, atEdges.size)
  const tailStart = Math.max(0, atEdges.size - edgeTokens)
  builder.words(atEdges, 0, headEnd, seedOf.head, true)
  builder.close(weightOf.head)
  builder.words(atEdges, tailStart, atEdges.size, seedOf.tail, true)
  builder.close(weightOf.tail)
  // Head and tail are equal if the text has at most `edgeTokens` tokens.
  const isOneEdge = tailStart === 0
  const inHead = conceptsIn(atEdges, 0, headEnd)
  builder.concepts(inHead, "head")
  builder.concepts(isOneEdge ? inHead : conceptsIn(atEdges, tailStart, atEdges.size), "tail")
  const inBody = isShort ? atEdges : tokens(masked.slice(0, bodyChars).toLowerCase())
  builder.words(inBody, 0, inBody.size, seedOf.body, false)
  builder.close(weightOf.body)
  builder.concepts(isShort && isOneEdge ? inHead : conceptsIn(inBody, 0, inBody.size), "body")
  const long = isLong(span, masked) ? 1 : 2
  for (const cue of cues(span, masked)) {
    builder.add(fnvStep(fnvStep(offsetBasis, cue), seedOf.structure))
    builder.add(fnvStep(fnvStep(offsetBasis, cue + long * cueCount), seedOf.structure))
  }
  builder.close(weightOf.structure, false)
  const { buckets, size, values } = builder
  return { size, buckets: buckets.slice(0, size), values: values.slice(0, size) }
}
