/* Prints what a trained model is worth: accuracy, calibration and how often wrappers change its answer. */
import { type TaskType, taskTypes } from "../../src/domain/Task.ts"
import { softmax } from "../../src/engine/classifier/Weights.ts"
import type { Example } from "./examples.ts"
import type { Judged } from "./learn.ts"

export const rate = <A>(items: ReadonlyArray<A>, holds: (item: A) => boolean): number =>
  items.length === 0 ? Number.NaN : items.filter(holds).length / items.length

const bins = 10
const probabilityMin = 0.25
const certainProbabilityMin = 0.6

/** Expected calibration error over ten bins of equal width. */
const calibrationError = (items: ReadonlyArray<{ readonly probability: number; readonly isRight: boolean }>): number =>
  Array.from({ length: bins }, (_, bin) => {
    const members = items.filter(({ probability }) => Math.min(bins - 1, Math.floor(probability * bins)) === bin)
    const gap = members.reduce((sum, { isRight, probability }) => sum + Number(isRight) - probability, 0)
    return Math.abs(gap) / items.length
  }).reduce((sum, gap) => sum + gap, 0)

const bestOf = (logits: Float64Array, temperature: number) => {
  const distribution = softmax(logits, taskTypes.length, temperature)
  const probability = Math.max(...distribution)
  const best = distribution.indexOf(probability)
  return { best, probability, answer: probability < probabilityMin ? taskTypes.indexOf("other") : best }
}

/** Share of the requests for which the surest answers are judged. */
const coverageShare = 0.75

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`

/**
 * Prints what a model is worth on examples it has not seen; `inDetail` names the types and intents it errs on.
 * Returns the balanced accuracy.
 */
export const report = (title: string, judged: ReadonlyArray<Judged>, temperature: number, inDetail = true): number => {
  const answers = judged.map(({ example, logits, wrapped }) => {
    const { answer, best, probability } = bestOf(logits, temperature)
    const isRight = answer === example.type
    const flips = wrapped.map((dressed) => bestOf(dressed, temperature).answer !== answer)
    return { example, best, answer, probability, isRight, isAccepted: isRight || example.also.includes(answer), flips }
  })
  const recallOf = (type: number) => rate(answers.filter(({ example }) => example.type === type), ({ isRight }) => isRight)
  const present = taskTypes.flatMap((_, type) => answers.some(({ example }) => example.type === type) ? [type] : [])
  const balanced = present.reduce((sum, type) => sum + recallOf(type), 0) / present.length
  const error = calibrationError(answers.map(({ best, example, probability }) =>
    ({ probability, isRight: best === example.type || example.also.includes(best) })))
  const levels = judged.filter(({ example }) => example.difficulty !== undefined)
  console.log(`\n${title} (${judged.length})`)
  console.log(`  accuracy ${percent(rate(answers, ({ isRight }) => isRight))}  accepted ${
    percent(rate(answers, ({ isAccepted }) => isAccepted))}  balanced ${percent(balanced)}  ECE ${error.toFixed(3)}`)
  console.log(`  abstained ${percent(rate(answers, ({ probability }) => probability < probabilityMin))}  uncertain ${
    percent(rate(answers, ({ probability }) => probability < certainProbabilityMin))}  accepted when certain ${
    percent(rate(answers.filter(({ probability }) => probability >= certainProbabilityMin), ({ isAccepted }) => isAccepted))}`)
  console.log(`  flips under unseen wrappers ${percent(rate(answers.flatMap(({ flips }) => flips), (flip) => flip))}`)
  const surest = answers.toSorted((a, b) => b.probability - a.probability)
    .slice(0, Math.ceil(coverageShare * answers.length))
  console.log(`  accepted of the surest ${percent(coverageShare)}: ${
    percent(rate(surest, ({ isAccepted }) => isAccepted))}, whose probability is at least ${
    (surest.at(-1)?.probability ?? Number.NaN).toFixed(2)}`)
  if (levels.length > 0) {
    console.log(`  difficulty within one level ${percent(rate(levels, ({ example, logits }) =>
      Math.abs(Math.round(Math.min(4, Math.max(0, logits[taskTypes.length]!))) - example.difficulty!) <= 1))}`)
  }
  if (!inDetail) return balanced
  console.log(`  recall ${present.map((type) => `${taskTypes[type]} ${recallOf(type).toFixed(2)}`).join(", ")}`)
  const by = (name: string, keyOf: (example: Example) => string | undefined) => {
    const groups = [...Map.groupBy(answers, ({ example }) => keyOf(example))].flatMap(([key, own]) =>
      key === undefined ? [] : [`${key} ${rate(own, ({ isAccepted }) => isAccepted).toFixed(2)} (${own.length}, certain ${
        rate(own, ({ probability }) => probability >= certainProbabilityMin).toFixed(2)}: ${
        rate(own.filter(({ probability }) => probability >= certainProbabilityMin), ({ isAccepted }) => isAccepted).toFixed(2)})`])
    if (groups.length > 1) console.log(`  accepted by ${name}: ${groups.toSorted().join(", ")}`)
  }
  by("type", ({ type }) => nameOf(type))
  by("writer", ({ group }) => /^voice-(\w+)/.exec(group)?.[1])
  by("language", ({ language }) => language ?? undefined)
  const wrong = new Map<string, number>()
  for (const { answer, example } of answers.filter(({ isAccepted }) => !isAccepted)) {
    const key = `${example.group} ${nameOf(example.type)} -> ${nameOf(answer)}`
    wrong.set(key, (wrong.get(key) ?? 0) + 1)
  }
  const worst = [...wrong].toSorted(([, a], [, b]) => b - a).slice(0, 12)
  console.log(`  worst: ${worst.map(([key, count]) => `${key} ${count}`).join("; ")}`)
  return balanced
}
const nameOf = (type: number): TaskType | undefined => taskTypes[type]
