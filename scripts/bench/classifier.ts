/**
 * Microseconds of reading a task: classified, embedded, and both, of prompts of several lengths. No text is
 * embedded twice, since the embedder remembers the latest ones. A first line is of the committed synthetic
 * prompts as they are, some with a wrapper or long pasted content around them.
 */
import { embedLexical } from "../../src/embedder/lexical/EmbedderLexical.ts"
import { classify } from "../../src/engine/classifier/Classifier.ts"
import { rowsIn } from "../training/words.ts"
import { trainWrappers, wrap } from "../training/wrappers.ts"

const warmUps = 3_000
const pasteEvery = 10
const pasteChars = 20_000
/** The middle of a few runs of each prompt: other processes on the machine interrupt single runs. */
const repeats = 5
const lengths = [100, 300, 1_000, 2_000, 4_000, 10_000, 100_000]
const perLength = 200

const prompts = rowsIn<{ readonly task: string }>("synthetic").map(({ task }) => task)
const pasted = prompts.slice(0, 400).join("\n").slice(0, pasteChars)
const mixed = prompts.map((prompt, index) =>
  index % pasteEvery === 0 ? `${prompt}\n\n${pasted}` : index % 2 === 0 ? prompt : wrap(trainWrappers[index % trainWrappers.length]!, prompt))

/** A prompt with others pasted below it, cut at `chars` characters. */
const promptOf = (chars: number, seed: number): string => {
  let text = prompts[seed * 97 % prompts.length]!
  for (let index = 1; text.length < chars; index++) text += `\n\n${prompts[(seed * 97 + index * 31) % prompts.length]!}`
  return text.slice(0, chars)
}

let asked = 0
/** The text in an own copy, of which four characters at the end are new. */
const anew = (text: string): string => Buffer.from(`${text.slice(0, -4)}${(asked++ % 1e4).toString().padStart(4, "0")}`).toString()

const readings: Readonly<Record<string, (text: string) => void>> = {
  classify,
  embed: embedLexical,
  both: (text) => {
    classify(text)
    embedLexical(text)
  }
}

const microsecondsOf = (text: string, read: (text: string) => void): number =>
  Array.from({ length: repeats }, () => {
    const own = anew(text)
    const start = process.hrtime.bigint()
    read(own)
    return Number(process.hrtime.bigint() - start) / 1_000
  }).toSorted((a, b) => a - b)[Math.floor(repeats / 2)]!

const print = (name: string, texts: ReadonlyArray<string>): void => {
  const figures = Object.entries(readings).map(([reading, read]) => {
    const sorted = texts.map((text) => microsecondsOf(text, read)).toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(0)
    return `${reading} p50 ${at(0.5)} p95 ${at(0.95)} p99 ${at(0.99)} us`
  })
  console.log(`${name}: ${figures.join(", ")}`)
}

for (const text of mixed.slice(0, warmUps)) for (const read of Object.values(readings)) read(anew(text))
print(`${mixed.length} prompts`, mixed)
for (const chars of lengths) {
  print(`${chars.toLocaleString("en")} characters`, Array.from({ length: perLength }, (_, seed) => promptOf(chars, seed)))
}
