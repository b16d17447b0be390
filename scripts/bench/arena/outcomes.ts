/* Reads recorded outcomes: what every model did with every prompt of a set. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { defaults } from "../../../src/engine/Settings.ts"
import { jsonLines } from "../../JsonLines.ts"
import { mean, quantile } from "./averages.ts"

/** The recorded outcome of one model at one prompt, with the names of the data files. */
export interface Recorded {
  readonly quality: number
  /** Runs of agents are recorded without tokens. */
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cost_usd: number
  readonly latency_ms?: number
}

/** The recorded outcome of every model at one prompt, by the model's id. */
export type Truth = Readonly<Record<string, Recorded>>

export interface OutcomeRow {
  readonly dataset: string
  readonly task_type: string
  /** The slice, for example `mmlu:anatomy`. */
  readonly sub?: string
  readonly prompt: string
  readonly models: Truth
}

export const recordedOf = (truth: Truth, modelId: string): Recorded => {
  const recorded = truth[modelId]
  if (recorded === undefined) throw new Error(`No recorded outcome of ${modelId}`)
  return recorded
}

/** The rows of one set. */
export const readRows = (folder: string, set: string): ReadonlyArray<OutcomeRow> =>
  jsonLines(join(folder, `${set}.jsonl.gz`))

/** The middle of the models' counts of a row's input, tokens, as a client would expect it; 400 if no model has a count. */
export const inputTokensOf = ({ models }: OutcomeRow): number =>
  quantile(Object.values(models).map((one) => one.input_tokens ?? 0).filter((count) => count > 0), 0.5) ?? 400

/** The outcome that a client would report for a recorded quality, in [0, 1]. */
export const outcomeOf = (quality: number) => quality >= 0.8 ? "success" : quality >= 0.4 ? "partial" : "failure"

/** The source of a row's labels: a judge for texts without a right answer, a gate for all others. */
export const labelSourceOf = ({ dataset }: OutcomeRow) => /alpaca|creative/.test(dataset) ? "judge" : "gate"

export const modelIdsOf = (rows: ReadonlyArray<OutcomeRow>): ReadonlyArray<string> =>
  Object.keys(rows[0]?.models ?? {})

/** Halves of all models by family. A choice made on one half is judged on the unlike models of the other. */
export const familyHalves = ["all", "even", "odd"] as const
export type FamilyHalf = typeof familyHalves[number]

/** The first letters of a model's name without its folder and a common prefix: `open-mixtral` is `mixtral`. */
const familyOf = (modelId: string): string =>
  /^(?:(?:open|code|text)-)?([a-z]+)/i.exec(modelId.split("/").at(-1)!)?.[1]?.toLowerCase() ?? modelId

/** True if a model's family is in the half, which the first byte of the family's SHA-256 decides. */
export const isOfHalf = (half: FamilyHalf, modelId: string): boolean =>
  half === "all" || (createHash("sha256").update(familyOf(modelId)).digest()[0]! % 2 === 0) === (half === "even")

interface Manifest {
  readonly prices?: Readonly<Record<string, { readonly in: number; readonly out: number } | undefined>>
}

type Priors = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>

const readJson = (folder: string, name: string): unknown =>
  JSON.parse(readFileSync(join(folder, name), "utf8"))

/** Prices in USD per million tokens that explain the recorded costs best, by least squares. */
export const fittedPrices = (
  rows: ReadonlyArray<OutcomeRow>,
  modelId: string
): readonly [inputUsdPerMtok: number, outputUsdPerMtok: number] => {
  let [ii, io, oo, ci, co] = [0, 0, 0, 0, 0]
  const all = rows.map((row) => recordedOf(row.models, modelId))
  for (const { cost_usd, input_tokens, output_tokens = 0 } of all) {
    if (!input_tokens) continue
    ii += input_tokens ** 2
    io += input_tokens * output_tokens
    oo += output_tokens ** 2
    ci += input_tokens * cost_usd
    co += output_tokens * cost_usd
  }
  const determinant = ii * oo - io * io || 1
  const input = ((ci * oo - co * io) / determinant) * 1e6
  const output = ((co * ii - ci * io) / determinant) * 1e6
  if (input > 0 && output > 0) return [input, output]
  // Without tokens, the price is such that a call of the kind that agents' runs are costs as much.
  const { input: usualInput, output: usualOutput } = defaults.tokensByTaskType.code
  const flat = mean(all.map((one) =>
    one.cost_usd / Math.max(1, (one.input_tokens ?? usualInput) + (one.output_tokens ?? usualOutput)))) * 1e6
  return [flat, flat]
}

const providerOf = (modelId: string): string =>
  (modelId.includes("/") ? modelId.split("/")[0] : modelId.split(/[-.]/)[0]) ?? modelId

/**
 * The set's models in the format of `SEXTANT_CATALOG_FILE`, as the reference replay makes them.
 *
 * @param priorOf the model whose prior is given to a model
 */
export const catalogJson = (
  folder: string,
  rows: ReadonlyArray<OutcomeRow>,
  priorOf: (modelId: string) => string = (modelId) => modelId
): string => {
  // Both files are ours; a misshapen one shows as a catalog that does not load.
  const { prices } = readJson(folder, "manifest.json") as Manifest
  const priors = readJson(folder, "priors.json") as Priors
  const known = priors[rows[0]?.dataset ?? ""] ?? {}
  const models = modelIdsOf(rows).map((modelId) => {
    const listed = prices?.[modelId]
    const [input, output] = (listed === undefined ? fittedPrices(rows, modelId) : [listed.in, listed.out])
      .map((usd) => Number(usd.toFixed(4)))
    const prior = known[priorOf(modelId)]
    const { n_eff: _, ...byType } = prior ?? {}
    return {
      model_id: modelId,
      provider: providerOf(modelId),
      display_name: modelId,
      input_cost_per_mtok: input,
      output_cost_per_mtok: output,
      cache_read_cost_per_mtok: null,
      supports_prompt_caching: false,
      context_window: 128_000,
      max_output_tokens: 8_192,
      ...(prior === undefined ? {} : { capability_by_task_type: byType })
    }
  })
  return JSON.stringify({ models })
}
