/**
 * Digests of what the service reads in a text. As a program it writes `readings.json`, the digests of
 * {@link variedTexts}: only for a change that means to alter classes or vectors.
 */
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { excerptOf, taskTypes } from "../../../src/domain/Task.ts"
import { embedLexical } from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { classify } from "../../../src/engine/classifier/Classifier.ts"
import { features } from "../../../src/engine/classifier/Features.ts"
import { quantise } from "../../../src/memory/index/QuantisedVector.ts"
import { variedTexts } from "./variedTexts.ts"

/** Characters of a digest that are kept: 48 bits, a chance of 1 in 10^14 to miss one change. */
const digestChars = 12

const digestOf = (...parts: ReadonlyArray<string | NodeJS.ArrayBufferView>): string => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest("hex").slice(0, digestChars)
}

/** Digests of a text's class with all its probabilities, of its features, of its vector and of its excerpt. */
export const readingsOf = (text: string): string => {
  const { difficulty, difficultyLogit, isUncertain, probabilities, probability, taskType } = classify(text)
  const { buckets, size, values } = features(text)
  const vector = embedLexical(text)
  const quantised = quantise(vector)
  return [
    digestOf(`${taskType} ${difficulty} ${size} ${isUncertain}`,
      Float64Array.from([probability, difficultyLogit, ...taskTypes.map((type) => probabilities[type])])),
    digestOf(buckets, values),
    digestOf(vector, quantised.vector, Float64Array.of(quantised.scale)),
    digestOf(excerptOf(text))
  ].join(" ")
}

if (import.meta.main) {
  const readings = Object.fromEntries(variedTexts.map(([name, text]) => [name, readingsOf(text)]))
  writeFileSync(new URL("./readings.json", import.meta.url), `${JSON.stringify(readings, null, 1)}\n`)
}
