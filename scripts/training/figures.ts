/* Prints what a trained model is worth: accuracy, calibration and how often wrappers change its answer. */
import { taskTypes } from "../../src/domain/Task.ts"
import { tempered } from "../../src/stats/Softmax.ts"
import { calibrationError } from "../bench/arena/figures.ts"
import { mean } from "../bench/arena/averages.ts"
import type { Judged } from "./learn.ts"

const probabilityMin = 0.25
const certainProbabilityMin = 0.6
/** Share of the requests for which the surest answers are judged. */
const coverageShare = 0.75

const bestOf = (logits: Float64Array, temperature: number) => {
  const distribution = tempered(logits, temperature, taskTypes.length)
  const probability = Math.max(...distribution)
  const best = distribution.indexOf(probability)
  return { best, probability, answer: probability < probabilityMin ? taskTypes.indexOf("other") : best }
}

/** Prints one row of the table of docs/running/measurements.md, of examples that a model has not seen. */
export const report = (title: string, judged: ReadonlyArray<Judged>, temperature: number): void => {
  const answers = judged.map(({ example: { also, type }, logits, wrapped }) => {
    const own = bestOf(logits, temperature)
    const accepts = (answer: number) => Number(answer === type || also.includes(answer))
    return {
      ...own, type, isAccepted: accepts(own.answer), isRight: accepts(own.best),
      flips: wrapped.map((dressed) => Number(bestOf(dressed, temperature).answer !== own.answer))
    }
  })
  const recalls = [...Map.groupBy(answers, ({ type }) => type)].map(([type, members]) =>
    mean(members.map(({ answer }) => Number(answer === type))))
  const surest = answers.toSorted((a, b) => b.probability - a.probability)
    .slice(0, Math.ceil(coverageShare * answers.length))
  const certain = answers.filter(({ probability }) => probability >= certainProbabilityMin)
  const accepted = (some: typeof answers) => percent(some.map(({ isAccepted }) => isAccepted))
  const error = calibrationError(answers.map(({ probability }) => probability), answers.map(({ isRight }) => isRight))
  console.log(`${title} (${judged.length}): balanced ${percent(recalls)}, accepted ${accepted(answers)}, of the surest ${
    coverageShare} ${accepted(surest)}, of the certain ${accepted(certain)}, changed by an unseen wrapper ${
    percent(answers.flatMap(({ flips }) => flips))}, calibration error ${error.toFixed(3)}`)
}

const percent = (values: ReadonlyArray<number>): string => `${(100 * mean(values)).toFixed(1)} %`
