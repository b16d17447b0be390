/* The workloads w1 to w7 and w-effort: models, prompts and the true success of each model at each kind of prompt. */
import type { ListPrices } from "../../../src/domain/model/Model.ts"
import { generator, normal } from "../../../src/stats/Generator.ts"
import { edited, kinds, write } from "./prompts.ts"
import { pickFrom, type Random, shuffled } from "./random.ts"

/** A model of a workload. */
export interface Contender extends Pick<ListPrices, "inputCostPerMtok" | "outputCostPerMtok"> {
  readonly modelId: string
  /** The level of effort; absent for a model without any. */
  readonly effort?: string
  /** Tokens that a call writes; absent where that is the same for all. */
  readonly outputTokens?: number
}

/** True success per model, in the workload's order, each in [0, 1]. */
export type Table = ReadonlyArray<number>

export interface Prompt {
  readonly text: string
  readonly taskType: string
  readonly tag: string | null
  /** Which table is true here; a kind whose truth changes has one before and one after. */
  readonly table: number
  /**
   * Each model's outcome at this prompt: 1 success, 0 failure. It is drawn once, so that every slider meets the same.
   */
  readonly outcomes: ReadonlyArray<number>
  /** The good model of this prompt's kind has just broken. */
  readonly isBroken: boolean
}

export interface Workload {
  readonly name: WorkloadName
  readonly models: ReadonlyArray<Contender>
  readonly tables: ReadonlyArray<Table>
  readonly prompts: ReadonlyArray<Prompt>
  /** Index of the model that breaks half way; null where none does. */
  readonly breakingModel: number | null
}

export const workloadNames = ["w1", "w2", "w3", "w4", "w5", "w6", "w7", "w-effort"] as const
export type WorkloadName = typeof workloadNames[number]

export const titles: Readonly<Record<WorkloadName, string>> = {
  w1: "two kinds, opposite cheap models",
  w2: "ten kinds, own tables",
  w3: "w2 with a tag naming the kind",
  w4: "ten kinds, one table",
  w5: "half own tables, half alike",
  w6: "four kinds, one model breaks",
  w7: "100 prompts repeated, own tables",
  "w-effort": "one model at three efforts, two kinds"
}

const twoKindModels: ReadonlyArray<Contender> = [
  { modelId: "able-mini", inputCostPerMtok: 0.25, outputCostPerMtok: 1 },
  { modelId: "baker-mini", inputCostPerMtok: 0.3, outputCostPerMtok: 1.2 },
  { modelId: "large", inputCostPerMtok: 2.5, outputCostPerMtok: 10 }
]
const twoKindTables: ReadonlyArray<Table> = [[0.95, 0.15, 0.6], [0.15, 0.95, 0.6]]

/** One model, whose price is the same at every effort. The number of tokens that it writes depends on the effort. */
const threeEfforts: ReadonlyArray<Contender> = [["low", 150], ["medium", 500], ["high", 1_500]].map(
  ([effort, outputTokens]) => ({
    modelId: "thinker", effort: String(effort), outputTokens: Number(outputTokens),
    inputCostPerMtok: 1.25, outputCostPerMtok: 10
  })
)
/** A kind that low effort does well, and one that needs high effort. */
const effortTables: ReadonlyArray<Table> = [[0.95, 0.96, 0.97], [0.15, 0.4, 0.95]]

const modelCount = 6
const priceRange = 50
/** Six models, evenly spaced in log price from 0.1 to 5 USD per million input tokens. */
const sixModels: ReadonlyArray<Contender> = Array.from({ length: modelCount }, (_, rank) => {
  const inputCostPerMtok = Number((0.1 * priceRange ** (rank / (modelCount - 1))).toFixed(4))
  return { modelId: `model-${rank + 1}`, inputCostPerMtok, outputCostPerMtok: 4 * inputCostPerMtok }
})

/** Mean ability by price rank, and its spread over kinds and models, in logits. */
const meanLogit = (rank: number): number => 0.2 + 0.3 * rank
const spreadLogit = 1.5
const draw = (random: Random): Table =>
  sixModels.map((_, rank) => 1 / (1 + Math.exp(-(meanLogit(rank) + spreadLogit * normal(random)))))

const repeatedPrompts = 100

/** The tables of the kinds, of which some may be one and the same. */
const tablesFor = (name: WorkloadName, random: Random): ReadonlyArray<Table> => {
  const own = (count: number): ReadonlyArray<Table> => Array.from({ length: count }, () => draw(random))
  switch (name) {
    case "w1": return twoKindTables
    case "w-effort": return effortTables
    case "w2": case "w3": return own(10)
    case "w4": return new Array<Table>(10).fill(draw(random))
    case "w5": return [...own(5), ...new Array<Table>(5).fill(draw(random))]
    case "w6": {
      const [first = [], ...rest] = own(4)
      // The cheapest model is right for this kind at every slider, until it is not.
      const before = first.with(0, 0.95)
      return [before, ...rest, before.with(0, 0.1)]
    }
    case "w7": return own(repeatedPrompts)
  }
}

/** Mostly one cluster; the rest in two others, whatever the kind. */
const taskTypeOf = (random: Random): string => {
  const draw = random()
  return draw < 0.9 ? "qa" : draw < 0.95 ? "reasoning" : "creative"
}

/** Zipf: the prompt of rank r comes up in proportion to 1/r. */
const zipf = (count: number, random: Random): number => {
  let left = random() * Array.from({ length: count }, (_, i) => 1 / (i + 1)).reduce((a, b) => a + b, 0)
  for (let rank = 0; rank < count; rank++) {
    left -= 1 / (rank + 1)
    if (left < 0) return rank
  }
  return count - 1
}

/** The number that makes a workload's seed; w3 has the draws of w2. */
const numberOf = (name: WorkloadName): number =>
  name === "w-effort" ? 8 : name === "w3" ? 2 : Number(name.slice(1))

/**
 * A stream of `length` prompts with known truth, the same for the same seed. w2 and w3 share everything but
 * the tag.
 */
export const workloadOf = (name: WorkloadName, seed: number, length: number): Workload => {
  const random = generator(seed * 1_000 + numberOf(name))
  const models = name === "w1" ? twoKindModels : name === "w-effort" ? threeEfforts : sixModels
  const tables = tablesFor(name, random)
  const kindCount = name === "w6" ? 4 : tables.length
  const order = shuffled(kinds, random)
  const repeated = Array.from({ length: repeatedPrompts }, () => write(pickFrom(kinds, random), random))
  const prompts = Array.from({ length }, (_, i): Prompt => {
    const kind = name === "w7" ? zipf(repeatedPrompts, random) : Math.floor(random() * kindCount)
    const written = order[kind % order.length]!
    const isBroken = name === "w6" && kind === 0 && i >= length / 2
    const table = isBroken ? tables.length - 1 : kind
    return {
      text: name === "w7" ? edited(repeated[kind]!, random) : write(written, random),
      taskType: taskTypeOf(random),
      tag: name === "w3" ? `kind:${written.name}` : null,
      table,
      outcomes: tables[table]!.map((probability) => (random() < probability ? 1 : 0)),
      isBroken
    }
  })
  return { name, models, tables, prompts, breakingModel: name === "w6" ? 0 : null }
}
