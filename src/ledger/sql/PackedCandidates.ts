/* The candidates of a decision as reports read them, without parsing JSON. */
import { createHash } from "node:crypto"
import type { Decision } from "../../domain/Decision.ts"

/** Bytes of the MD5 of a model's id that stand for the model. */
const digestBytes = 6
/** Bytes before the first candidate, and of each: digest, prediction and estimated cost, eligible. */
const headBytes = 4
const candidateBytes = digestBytes + 8 + 8 + 1

/** The first bytes of the MD5 of models' ids; emptied when it is full, since callers may name models. */
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
 * A decision's candidates: two bytes with the position of the recommended one, from 1, 0 for none;
 * two with their number; then for each candidate six bytes of the MD5 of its model's id, prediction and
 * estimated cost as float64, and whether it was eligible.
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
