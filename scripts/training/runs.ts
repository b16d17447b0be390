/**
 * Makes `src/catalog/file/runs.json`: how able the models of the bundled catalog are at runs of agents, from public
 * runs that several sets record. Prints what one set says of another. Deterministic.
 * Usage: node_modules/.bin/node scripts/training/runs.ts <folder of outcomes>
 */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Logit from "../../src/stats/Logit.ts"
import { mean } from "../bench/arena/averages.ts"
import { modelIdsOf, type OutcomeRow, readRows, recordedOf } from "../bench/arena/outcomes.ts"
import { bundledRows, type Row } from "./priors.ts"

/** Sets of runs that may teach, one outcome of every model on every task. */
export const runSets = ["oh_swebench", "oh_swtbench"] as const

/** Who recorded the runs, and on which terms. */
const origin = {
  source: "github.com/OpenHands/openhands-index-results, commit 3015ac6: half of SWE-bench Verified and of SWT-bench",
  licence: "MIT, as the README of the repository says; abilities are derived, no outcome is kept",
  as_of: "2026-11-20"
} as const

/** Names in the recorded runs that are no other spelling of the catalog's, by the latter's ids. */
const recordedAs: Readonly<Record<string, string>> = {
  "deepseek-v3.2-reasoner": "deepseek-v3.2",
  "gemini-3-flash": "gemini-3-flash-preview",
  "gemini-3.1-pro": "gemini-3.1-pro-preview",
  "nemotron-3-nano": "nemotron-3-nano-30b-a3b",
  "nemotron-3-super": "nemotron-3-super-120b-a12b",
  "qwen3-coder-480b": "qwen3-coder"
}

/** The catalog's id of a model as recorded runs name it; that name for one that the catalog does not have. */
export const idOf = (cards: ReadonlyArray<Row>, recorded: string): string => {
  const name = recorded.toLowerCase()
  const known = recordedAs[name] ?? name
  return cards.find(({ aliases, model_id }) => model_id === known || aliases.includes(known))?.model_id ?? recorded
}

/** The rows of one set of runs, its models named by {@link idOf}. */
export const readRuns = (folder: string, set: string, cards: ReadonlyArray<Row>): ReadonlyArray<OutcomeRow> => {
  const rows = readRows(folder, set)
  const ids = new Map(modelIdsOf(rows).map((recorded) => [recorded, idOf(cards, recorded)]))
  return rows.map((row) => ({
    ...row, models: Object.fromEntries(Object.entries(row.models).map(([recorded, run]) => [ids.get(recorded)!, run]))
  }))
}

/** Logit of a model's success on one set, by its id. */
export type Standing = ReadonlyMap<string, number>

/** The standing of every model of a set; half a success and half a failure keep it finite. */
export const standingOf = (rows: ReadonlyArray<OutcomeRow>): Standing =>
  new Map(modelIdsOf(rows).map((id) => {
    const successes = rows.filter(({ models }) => recordedOf(models, id).quality >= 0.5).length
    return [id, Logit.logit((successes + 0.5) / (rows.length + 1))]
  }))

/** Each set about the mean of the models that all sets have. */
const centred = (sets: ReadonlyArray<Standing>): ReadonlyArray<Standing> => {
  const common = [...sets[0]!.keys()].filter((id) => sets.every((set) => set.has(id)))
  return sets.map((set) => {
    const middle = mean(common.map((id) => set.get(id)!))
    return new Map([...set].map(([id, logit]) => [id, logit - middle]))
  })
}

/** The relation between a model's standings on two sets. */
interface Transfer {
  /** Expected distance from the mean on another set, per distance on this: the sets' shared share of variance. */
  readonly slope: number
  /** Standard deviations of what all sets share and of what each has of its own, logit. */
  readonly shared: number
  readonly own: number
}

/**
 * The transfer between sets, over the models that all have. Each standing is the sum of a model's ability and a part
 * that only the set has. The mean covariance of two sets is the variance of the abilities. One set alone cannot tell:
 * slope 1.
 */
export const transferOf = (sets: ReadonlyArray<Standing>): Transfer => {
  const about = centred(sets)
  const common = [...about[0]!.keys()].filter((id) => about.every((set) => set.has(id)))
  const product = (a: Standing, b: Standing) => mean(common.map((id) => a.get(id)! * b.get(id)!))
  const variance = mean(about.map((set) => product(set, set)))
  const pairs = about.flatMap((a, i) => about.slice(i + 1).map((b) => product(a, b)))
  const shared = pairs.length === 0 ? variance : Math.max(0, mean(pairs))
  return { slope: shared / variance, shared: Math.sqrt(shared), own: Math.sqrt(Math.max(0, variance - shared)) }
}

/**
 * Ability of every recorded model, logit, as a difference from the mean of the models that all sets have. It is the
 * mean of its n standings, shrunk by n r / (1 + (n - 1) r), where r is the transfer's slope (Spearman and Brown, 1910).
 */
export const runAbilities = (sets: ReadonlyArray<Standing>): Standing => {
  const { slope } = transferOf(sets)
  const about = centred(sets)
  return new Map([...new Set(about.flatMap((set) => [...set.keys()]))].map((id) => {
    const own = about.flatMap((set) => set.get(id) ?? [])
    return [id, mean(own) * own.length * slope / (1 + (own.length - 1) * slope)]
  }))
}

/** Range of a capability, probability: that of the bundled catalog's. */
const [least, most] = [0.02, 0.985]

/**
 * Capability at runs by model, probability. The mean over the catalog's models is the same as that of `code`, so that
 * `code` may judge a model without runs.
 */
export const runCapabilities = (sets: ReadonlyArray<Standing>, cards: ReadonlyArray<Row>): Standing => {
  const abilities = runAbilities(sets)
  const level = mean(cards.flatMap(({ capability_by_task_type: { code }, model_id }) => {
    const ability = abilities.get(model_id)
    return ability === undefined || code === undefined ? [] : [Logit.logit(code) - ability]
  }))
  return new Map([...abilities].map(([id, ability]) =>
    [id, Math.min(most, Math.max(least, Logit.sigmoid(level + ability)))]))
}

if (import.meta.main) {
  const [, , folder = "../shared/data/outcomes"] = process.argv
  const cards = bundledRows()
  const sets = runSets.map((set) => standingOf(readRuns(folder, set, cards)))
  const { own, shared, slope } = transferOf(sets)
  console.log(`one set says ${slope.toFixed(2)} of another; shared ${shared.toFixed(2)}, own ${own.toFixed(2)}, logit`)
  const models = [...runCapabilities(sets, cards)].flatMap(([id, capability]) => {
    const isListed = cards.some(({ model_id }) => model_id === id)
    if (!isListed) console.log(`not in the catalog: ${id}`)
    return isListed
      ? [{ model_id: id, agent_run: Number(capability.toFixed(4)), sets: runSets.filter((_, i) => sets[i]!.has(id)) }]
      : []
  }).toSorted((a, b) => (a.model_id < b.model_id ? -1 : 1))
  const facts = Object.entries(origin).map(([name, text]) => `${JSON.stringify(name)}: ${JSON.stringify(text)},`)
  const target = fileURLToPath(new URL("../../src/catalog/file/runs.json", import.meta.url))
  const lines = models.map((row) => JSON.stringify(row))
  writeFileSync(target, `{\n${facts.join("\n")}\n"models": [\n${lines.join(",\n")}\n]\n}\n`)
  console.log(`${models.length} models -> ${target}`)
}
