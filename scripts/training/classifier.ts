/**
 * Trains weights.bin, frame.bin and request.bin in src/engine/classifier and prints honest figures. Usage:
 * node_modules/.bin/node scripts/training/classifier.ts task_labels.jsonl.gz [--measure [seed]|--fresh] Deterministic:
 * fixed seeds, no clock. Without a flag the files are trained and written. `--measure` leaves out a quarter of the
 * public sources and of the writers, with their wrappers, at a time. Another seed leaves out other quarters: choose by
 * one seed, and report another. `--fresh` judges the committed files by the independent requests, to be looked at
 * seldom.
 */
import { writeFileSync } from "node:fs"
import { frameModel } from "../../src/engine/classifier/FrameModel.ts"
import { requestModel } from "../../src/engine/classifier/Instruction.ts"
import * as SentenceModel from "../../src/engine/classifier/SentenceModel.ts"
import { encode, load } from "../../src/engine/classifier/Weights.ts"
import { type Example, fresh, labelled, ours, spoken, synthetic, voices } from "./examples.ts"
import { report } from "./figures.ts"
import { fitTemperature, folds, judge, type Judged, materialOf, quantise, train, trainReader, weighted } from "./learn.ts"
import { freshWrappers, unseenWrappers, wrap, wrappersOf } from "./wrappers.ts"

const unseen = unseenWrappers.map((wrapper) => (task: string) => wrap(wrapper, task))
const voiceOf = ({ group }: Example): string | undefined => /^voice-(\w+)/.exec(group)?.[1]

/** Fitted on what is left out; checked by `--measure`. */
const shippedTemperature = 0.9

/** Judges each source and each writer by a model that has read neither the source or writer nor its wrappers. */
const measure = (all: ReadonlyArray<Example>, seed: string): void => {
  const { foldOf, readers, rows } = materialOf(all, seed)
  const sources: Array<Judged> = []
  const writers: Array<Judged> = []
  for (let fold = 0; fold < folds; fold++) {
    const isLeftOut = (example: Example): boolean =>
      foldOf(example) === fold && (example.isLabel || voiceOf(example) !== undefined)
    const weights = quantise(train(weighted(rows.filter(({ example }) => !isLeftOut(example)))), 1)
    const leftOut = all.filter(isLeftOut)
    sources.push(...judge(weights, readers[fold]!, leftOut.filter(({ isLabel }) => isLabel), unseen))
    for (const [voice, own] of Map.groupBy(leftOut, voiceOf)) {
      if (voice !== undefined) writers.push(...judge(weights, readers[fold]!, own, wrappersOf(voice)))
    }
  }
  report("sources left out", sources, shippedTemperature)
  report("writers left out", writers, shippedTemperature)
  console.log(`temperature of sources ${fitTemperature(sources).toFixed(2)}, of writers ${
    fitTemperature(writers).toFixed(2)}, shipped ${shippedTemperature}`)
}

const write = (all: ReadonlyArray<Example>): void => {
  const reader = trainReader(all, voices.flatMap(wrappersOf))
  const shipped = quantise(train(weighted(materialOf(all, "").rows)), shippedTemperature)
  writeFileSync(new URL("../../src/engine/classifier/weights.bin", import.meta.url), encode(shipped))
  writeFileSync(new URL("../../src/engine/classifier/frame.bin", import.meta.url), SentenceModel.encode(reader.frame))
  writeFileSync(new URL("../../src/engine/classifier/request.bin", import.meta.url), SentenceModel.encode(reader.request))
}

const main = (path: string, flag: string | undefined, seed = ""): void => {
  if (flag === "--fresh") {
    const committed = load()
    const judged = judge(committed, { frame: frameModel, request: requestModel }, fresh(), freshWrappers)
    report("independent requests, as committed", judged, committed.temperature)
    return
  }
  const all = [...labelled(path), ...synthetic(), ...ours(), ...voices.flatMap(spoken)]
  if (flag === "--measure") measure(all, seed)
  else write(all)
}

const [path, flag, seed] = process.argv.slice(2)
if (path === undefined) {
  throw new Error("usage: node scripts/training/classifier.ts task_labels.jsonl.gz [--measure [seed] | --fresh]")
}
main(path, flag, seed)
