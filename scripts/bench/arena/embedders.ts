/* The embedders that a benchmark compares tasks with: the built-in one, or one that knows the truth. */
import { Effect, Layer } from "effect"
import { Embedder } from "../../../src/embedder/Embedder.ts"
import {
  embedLexical, lexicalDimensions, lexicalIdentity
} from "../../../src/embedder/lexical/EmbedderLexical.ts"

/** An embedder that remembers every text of its thread, because sliders and seeds repeat them. */
const remembering = (
  identity: string,
  dimensions: number,
  embed: (text: string) => Float32Array
): Layer.Layer<Embedder> => {
  const vectors = new Map<string, Float32Array>()
  return Layer.succeed(Embedder, {
    identity,
    dimensions,
    embed: (text) =>
      Effect.sync(() => {
        const known = vectors.get(text)
        if (known !== undefined) return known
        const vector = embed(text)
        vectors.set(text, vector)
        return vector
      })
  })
}

/** The built-in embedder. */
export const builtIn = remembering(lexicalIdentity, lexicalDimensions, embedLexical)

/** The built-in vector of a text beside another unit vector, each of which gives half of a cosine. */
const beside = (text: string, other: Float32Array): Float32Array =>
  Float32Array.of(...embedLexical(text), ...other).map((each) => each * Math.SQRT1_2)

/** Most kinds of a workload, count: w7 has one for each of its repeated prompts. */
const kindsMax = 100

/**
 * The built-in vector beside one that says the true kind of a prompt, which no embedder can know: what the
 * best possible embedder would gain.
 *
 * @param kindOf the kind of each prompt, a whole number from 0, below {@link kindsMax}
 */
export const withKinds = (kindOf: ReadonlyMap<string, number>): Layer.Layer<Embedder> =>
  remembering(`kinds/1/${lexicalDimensions + kindsMax}`, lexicalDimensions + kindsMax, (text) => {
    const other = new Float32Array(kindsMax)
    const kind = kindOf.get(text)
    if (kind === undefined) throw new Error("a task that is no prompt of the workload has no kind")
    other[kind] = 1
    return beside(text, other)
  })
