/**
 * Trains src/engine/classifier/weights.bin and prints honest figures.
 * Usage: node scripts/train-classifier.ts path/to/task_labels.jsonl.gz [--measure | --split]
 * Deterministic: fixed seeds, no clock. `--measure` leaves the file alone; `--split` only compares settings: one model
 * on two thirds of the sources and intents, judged on the others.
 */
import { writeFileSync } from "node:fs"
import { encodeFrame } from "../src/engine/classifier/Frame.ts"
import { encode } from "../src/engine/classifier/Weights.ts"
import { type Example, fresh, labelled, ours, synthetic } from "./classify-data/examples.ts"
import { report } from "./classify-data/figures.ts"
import { freshWrappers } from "./classify-data/freshWrappers.ts"
import { fitTemperature, judge, quantise, rowsOf, train } from "./classify-data/learn.ts"
import { trainFrame } from "./classify-data/learnFrame.ts"
import { hashOf } from "./classify-data/more.ts"
import { unseenWrappers, wrap } from "./classify-data/wrappers.ts"

const folds = 3
/** Every seventh intent is never trained on while measuring; the file that ships has learned them too. */
const holdOutEvery = 7
const splitEvery = 3

const unseen = unseenWrappers.map((wrapper) => (task: string) => wrap(wrapper, task))
const isAsk = ({ group }: Example): boolean => group.startsWith("more:ask-")
const isOlder = (example: Example): boolean => !example.isLabel && !isAsk(example)
const groupsOf = (examples: ReadonlyArray<Example>): ReadonlyArray<string> =>
  [...new Set(examples.map((example) => example.group))].toSorted((a, b) => hashOf(a) - hashOf(b))

/** Ranked apart, so that the older intents held out stay the same when asks are added. */
const heldOutOf = (all: ReadonlyArray<Example>): ReadonlySet<string> =>
  new Set([isAsk, isOlder].flatMap((holds) =>
    groupsOf(all.filter(holds)).filter((_, index) => index % holdOutEvery === 0)))

const split = (all: ReadonlyArray<Example>): void => {
  const out = new Set(groupsOf(all).filter((_, index) => index % splitEvery === 0))
  const kept = all.filter(({ group }) => !out.has(group))
  const frame = trainFrame(kept)
  const weights = quantise(train(rowsOf(kept, frame)), 1)
  const judged = judge(weights, frame, all.filter(({ group }) => out.has(group)), unseen)
  const temperature = fitTemperature(judged)
  report("labels", judged.filter(({ example }) => example.isLabel), temperature)
  report("older intents", judged.filter(({ example }) => isOlder(example)), temperature)
  report("asks", judged.filter(({ example }) => isAsk(example)), temperature)
}

const measure = (all: ReadonlyArray<Example>): number => {
  const heldOut = heldOutOf(all)
  const kept = all.filter((example) => !heldOut.has(example.group))
  console.log(`${all.length} examples, ${groupsOf(kept).length} sources and intents, ${heldOut.size} intents held out`)
  const frame = trainFrame(kept)
  const rows = rowsOf(kept, frame)
  const foldOf = new Map(groupsOf(kept).map((group, index) => [group, index % folds]))
  const outOfFold = Array.from({ length: folds }, (_, fold) => {
    const weights = quantise(train(rows.filter((row) => foldOf.get(row.example.group) !== fold)), 1)
    return judge(weights, frame, kept.filter((example) => foldOf.get(example.group) === fold), unseen)
  }).flat()
  const temperature = fitTemperature(outOfFold)
  console.log(`temperature ${temperature.toFixed(2)}`)
  report("labels, dataset left out", outOfFold.filter(({ example }) => example.isLabel), temperature)
  report("ours, intent left out", outOfFold.filter(({ example }) => !example.isLabel), temperature)
  const model = quantise(train(rows), temperature)
  const never = judge(model, frame, all.filter((example) => heldOut.has(example.group)), unseen)
  report("older intents never trained on", never.filter(({ example }) => isOlder(example)), temperature)
  report("asks never trained on", never.filter(({ example }) => isAsk(example)), temperature)
  return temperature
}

const main = (path: string, flag: string | undefined): void => {
  const all = [...labelled(path), ...synthetic(), ...ours()]
  if (flag === "--split") return split(all)
  const temperature = measure(all)
  const frame = trainFrame(all)
  const shipped = quantise(train(rowsOf(all, frame)), temperature)
  report("independent requests, as shipped", judge(shipped, frame, fresh(), freshWrappers.map(({ wrap: dressed }) => dressed)), temperature, false)
  if (flag === "--measure") return
  writeFileSync(new URL("../src/engine/classifier/weights.bin", import.meta.url), encode(shipped))
  writeFileSync(new URL("../src/engine/classifier/frame.bin", import.meta.url), encodeFrame(frame))
}

const [path, flag] = process.argv.slice(2)
if (path === undefined) throw new Error("usage: node scripts/train-classifier.ts task_labels.jsonl.gz [--measure | --split]")
main(path, flag)
