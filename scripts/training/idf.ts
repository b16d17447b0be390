/**
 * Learns src/embedder/lexical/idf.bin from the synthetic requests. Usage: node_modules/.bin/node scripts/training/idf.ts
 * Deterministic: the same requests give the same bytes. Smoothed idf ln((1 + n) / (1 + df)) + 1 per hashed bucket,
 * one byte each, in steps of 0.05.
 */
import { writeFileSync } from "node:fs"
import { excerptOf } from "../../src/domain/Task.ts"
import { featuresOf, idfBucketCount, idfBucketOf, read } from "../../src/embedder/lexical/LexicalFeatures.ts"
import { rowsIn } from "./words.ts"

const idfStep = 0.05

const texts = [...new Set(rowsIn<{ readonly task: string }>("synthetic").map(({ task }) => task))]

const documentFrequency = new Uint32Array(idfBucketCount)
const lastSeen = new Int32Array(idfBucketCount).fill(-1)
texts.forEach((text, document) => {
  read(excerptOf(text).toLowerCase())
  for (const half of ["words", "characters"] as const) {
    const { features, size } = featuresOf(half)
    for (let index = 0; index < size; index++) {
      const bucket = idfBucketOf(features[index]!)
      if (lastSeen[bucket] === document) continue
      lastSeen[bucket] = document
      documentFrequency[bucket] = documentFrequency[bucket]! + 1
    }
  }
})

const bytes = Uint8Array.from(documentFrequency, (frequency) =>
  Math.min(255, Math.round((Math.log((1 + texts.length) / (1 + frequency)) + 1) / idfStep)))
writeFileSync(new URL("../../src/embedder/lexical/idf.bin", import.meta.url), bytes)
process.stdout.write(`idf of ${texts.length} texts, ${bytes.length} bytes\n`)
