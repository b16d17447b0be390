/* A worker thread's entry: reads batches of texts with the built-in classifier and embedder. */
import { parentPort } from "node:worker_threads"
import { embedLexical, lexicalDimensions } from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { featuresOf, type TextToRead } from "./Features.ts"

/** A batch of texts with its number; an exception ends the thread, and the caller's wait fails. */
export interface TextBatch {
  readonly batch: number
  readonly texts: ReadonlyArray<TextToRead>
}

parentPort?.on("message", ({ batch, texts }: TextBatch) => {
  const features = featuresOf(texts, embedLexical, lexicalDimensions)
  const buffers = Object.values(features).map((column: Uint8Array<ArrayBuffer>) => column.buffer)
  parentPort?.postMessage({ batch, features }, buffers)
})
