/* Packs the candidates of a decision into bytes, so that reports need not parse JSON. */
import { createHash } from "node:crypto"
import type { Decision } from "../../domain/Decision.ts"

/** Number of bytes of the MD5 of a model's id that identify the model. */
const digestBytes = 6
const headBytes = 4
const candidateBytes = digestBytes + 8 + 8 + 1

/** A cache of models' digests, emptied when full, because callers may name any model. */
const digests = new Map<string, Buffer>()
const digestsMax = 5_000

const digestOf = (modelId: string): Buffer => {
  const known = digests.get(modelId)
  if (known !== undefined) return known
  if (digests.size >= digestsMax) digests.clear()
  const digest = createHash("md5").update(modelId).digest().subarray(0, digestBytes)
  digests.set(modelId, digest)
  return digest
}

/**
 * Two bytes hold the position of the recommended candidate, from 1 on, or 0 if it is no candidate. Two bytes
 * hold the number of candidates. Each candidate has six bytes of its model's digest, then its prediction and
 * estimated cost as float64. A last byte is 1 if the candidate was eligible.
 */
export const packedCandidates = ({ candidates, recommendedModelId }: Decision): Uint8Array => {
  const bytes = Buffer.allocUnsafe(headBytes + candidateBytes * candidates.length)
  let position = 0
  let at = headBytes
  candidates.forEach(({ estCostUsd, isEligible, modelId, predictedSuccess }, index) => {
    if (modelId === recommendedModelId) position = index + 1
    bytes.set(digestOf(modelId), at)
    bytes.writeDoubleBE(predictedSuccess, at + digestBytes)
    bytes.writeDoubleBE(estCostUsd, at + digestBytes + 8)
    bytes[at + candidateBytes - 1] = isEligible ? 1 : 0
    at += candidateBytes
  })
  bytes.writeInt16BE(position, 0)
  bytes.writeInt16BE(candidates.length, 2)
  return bytes
}
