/**
 * Trains weights.bin, frame.bin and request.bin in src/engine/classifier and prints honest figures.
 * Usage: node_modules/.bin/node scripts/training/classifier.ts task_labels.jsonl.gz [--measure|--voices|--fresh]
 * Deterministic: fixed seeds, no clock. Without a flag the files are trained and written. `--voices` leaves a quarter of
 * the writers out at a time, with their wrappers: settings are chosen by it. `--measure` adds sources and intents left
 * out. `--fresh` judges the committed files by the independent requests, to be looked at seldom.
 */
import { writeFileSync } from "node:fs"
import { frameModel } from "../../src/engine/classifier/FrameModel.ts"
import { requestModel } from "../../src/engine/classifier/RequestModel.ts"
import * as SentenceModel from "../../src/engine/classifier/SentenceModel.ts"
import { encode, load } from "../../src/engine/classifier/Weights.ts"
import { hashOf } from "./compose.ts"
import { type Example, fresh, labelled, ours, spoken, synthetic, voices } from "./examples.ts"
import { report } from "./figures.ts"
import { fitTemperature, judge, type Judged, quantise, rowsOf, train, trainReader } from "./learn.ts"
import { freshWrappers, unseenWrappers, wrap, wrappersOf } from "./wrappers.ts"

const folds = 3
/** Writers are left out in so many groups. */
const voiceFolds = 4
/** Every seventh intent is never trained on while measuring; the file that ships has learned them too. */
const holdOutEvery = 7

const unseen = unseenWrappers.map((wrapper) => (task: string) => wrap(wrapper, task))
const isAsk = ({ group }: Example): boolean => group.startsWith("more:ask-")
const isVoice = ({ group }: Example): boolean => group.startsWith("voice-")
const isOlder = (example: Example): boolean => !example.isLabel && !isAsk(example) && !isVoice(example)
const groupsOf = (examples: ReadonlyArray<Example>): ReadonlyArray<string> =>
  [...new Set(examples.map((example) => example.group))].toSorted((a, b) => hashOf(a) - hashOf(b))

/** Asks and older intents are ranked separately, so that added asks do not change which older intents are held out. */
const heldOutOf = (all: ReadonlyArray<Example>): ReadonlySet<string> =>
  new Set([isAsk, isOlder].flatMap((holds) =>
    groupsOf(all.filter(holds)).filter((_, index) => index % holdOutEvery === 0)))

/** Each writer judged by a model that has read neither the writer's requests nor the wrappers. */
const leaveVoicesOut = (older: ReadonlyArray<Example>): number => {
  const judged: Array<Judged> = []
  for (let fold = 0; fold < voiceFolds; fold++) {
    const others = voices.filter((_, index) => index % voiceFolds !== fold)
    const kept = [...older, ...others.flatMap(spoken)]
    const wrappers = others.flatMap(wrappersOf)
    const reader = trainReader(kept, wrappers)
    const weights = quantise(train(rowsOf(kept, wrappers)), 1)
    for (const voice of voices.filter((_, index) => index % voiceFolds === fold)) {
      judged.push(...judge(weights, reader, spoken(voice), wrappersOf(voice)))
    }
  }
  const temperature = fitTemperature(judged)
  report("each voice left out", judged, temperature)
  return temperature
}

const measure = (all: ReadonlyArray<Example>, temperature: number): void => {
  const heldOut = heldOutOf(all)
  const kept = all.filter((example) => !heldOut.has(example.group))
  const wrappers = voices.flatMap(wrappersOf)
  console.log(`${all.length} examples, ${groupsOf(kept).length} sources and intents, ${heldOut.size} intents held out`)
  const reader = trainReader(kept, wrappers)
  const rows = rowsOf(kept, wrappers)
  const foldOf = new Map(groupsOf(kept).map((group, index) => [group, index % folds]))
  const outOfFold = Array.from({ length: folds }, (_, fold) => {
    const weights = quantise(train(rows.filter((row) => foldOf.get(row.example.group) !== fold)), 1)
    return judge(weights, reader, kept.filter((example) => foldOf.get(example.group) === fold), unseen)
  }).flat()
  report("labels, dataset left out", outOfFold.filter(({ example }) => example.isLabel), temperature)
  report("ours, intent left out",
    outOfFold.filter(({ example }) => isAsk(example) || isOlder(example)), temperature)
  report("voices, intent left out", outOfFold.filter(({ example }) => isVoice(example)), temperature)
  const model = quantise(train(rows), temperature)
  const never = judge(model, reader, all.filter((example) => heldOut.has(example.group)), unseen)
  report("older intents never trained on", never.filter(({ example }) => isOlder(example)), temperature)
  report("asks never trained on", never.filter(({ example }) => isAsk(example)), temperature)
}

/** Fitted on voices left out, which are nearest to the requests of a new user; checked by `--voices`. */
const shippedTemperature = 0.9

const write = (all: ReadonlyArray<Example>): void => {
  const wrappers = voices.flatMap(wrappersOf)
  const reader = trainReader(all, wrappers)
  const shipped = quantise(train(rowsOf(all, wrappers)), shippedTemperature)
  writeFileSync(new URL("../../src/engine/classifier/weights.bin", import.meta.url), encode(shipped))
  writeFileSync(new URL("../../src/engine/classifier/frame.bin", import.meta.url), SentenceModel.encode(reader.frame))
  writeFileSync(new URL("../../src/engine/classifier/request.bin", import.meta.url), SentenceModel.encode(reader.request))
}

const main = (path: string, flag: string | undefined): void => {
  const older = [...labelled(path), ...synthetic(), ...ours()]
  const all = [...older, ...voices.flatMap(spoken)]
  if (flag === "--fresh") {
    const committed = load()
    const judged = judge(committed, { frame: frameModel, request: requestModel }, fresh(), freshWrappers)
    report("independent requests, as committed", judged, committed.temperature, false)
  } else if (flag === undefined) write(all)
  else {
    const temperature = leaveVoicesOut(older)
    console.log(`\ntemperature ${temperature.toFixed(2)}, shipped ${shippedTemperature}`)
    if (flag === "--measure") measure(all, shippedTemperature)
  }
}

const [path, flag] = process.argv.slice(2)
if (path === undefined) {
  throw new Error("usage: node scripts/training/classifier.ts task_labels.jsonl.gz [--measure | --voices | --fresh]")
}
main(path, flag)
