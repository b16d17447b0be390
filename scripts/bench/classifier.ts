/** Microseconds per classification on the committed synthetic prompts, some with long pasted content around them. */
import { classify } from "../../src/engine/classifier/Classifier.ts"
import { rowsIn } from "../training/words.ts"
import { trainWrappers, wrap } from "../training/wrappers.ts"

const warmUps = 3_000
const pasteEvery = 10
const pasteChars = 20_000

const prompts = rowsIn<{ readonly task: string }>("synthetic").map(({ task }) => task)
const pasted = prompts.slice(0, 400).join("\n").slice(0, pasteChars)
const mixed = prompts.map((prompt, index) =>
  index % pasteEvery === 0 ? `${prompt}\n\n${pasted}` : index % 2 === 0 ? prompt : wrap(trainWrappers[index % trainWrappers.length]!, prompt))

for (const prompt of mixed.slice(0, warmUps)) classify(prompt)
/** The middle of a few runs of each prompt: other processes on the machine interrupt single runs. */
const repeats = 5
const microseconds = mixed.map((prompt) =>
  Array.from({ length: repeats }, () => {
    const start = process.hrtime.bigint()
    classify(prompt)
    return Number(process.hrtime.bigint() - start) / 1_000
  }).toSorted((a, b) => a - b)[Math.floor(repeats / 2)]!
).toSorted((a, b) => a - b)
const at = (share: number) => microseconds[Math.floor(share * (microseconds.length - 1))]!.toFixed(0)
console.log(`${mixed.length} prompts, the median of ${repeats} runs each: p50 ${at(0.5)} us, p95 ${at(0.95)} us, p99 ${at(0.99)} us`)
