/**
 * Learns src/embedder/lexical/idf.bin from a JSONL file of `{ "task": string }` rows, given as the first argument.
 * Deterministic: the same file gives the same bytes. Smoothed idf ln((1 + n) / (1 + df)) + 1 per hashed bucket,
 * one byte each, in steps of 0.05.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { excerptOf } from "../../src/domain/Task.ts"
import { featuresOf, idfBucketCount, idfBucketOf, read } from "../../src/embedder/lexical/LexicalFeatures.ts"

const idfStep = 0.05

const source = process.argv[2]
if (source === undefined) {
  process.stderr.write("usage: node scripts/training/idf.ts <tasks.jsonl>\n")
  process.exit(2)
}

const lines = readFileSync(source, "utf8").split("\n").filter((line) => line.trim() !== "")
const texts = [...new Set(lines.map((line): string => {
  const row: unknown = JSON.parse(line)
  return typeof row === "object" && row !== null && "task" in row ? String(row.task) : ""
}))]

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
