/* Lays settings that the command line gives over the engine's own and memory's. */
import { defaults } from "../../../src/engine/Settings.ts"
import { type MemorySettings, memorySettings } from "../../../src/memory/MemorySettings.ts"

const own = { ...defaults, memory: memorySettings }

/** The engine's numbers, and in a field of their own memory's. */
export type SettingsOver = Partial<typeof defaults> & { readonly memory?: MemorySettings }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * `over` laid over `base`, nested objects field by field. A field that `base` does not have, or has of
 * another type, is refused: a misspelt number would otherwise be tuned in vain.
 */
export const overlaid = (base: unknown, over: unknown, path: string = "settings"): unknown => {
  if (!isRecord(base)) {
    if (typeof base !== typeof over) throw new Error(`${path} is a ${typeof base}, not a ${typeof over}`)
    return over
  }
  if (!isRecord(over)) throw new Error(`${path} is an object, not ${JSON.stringify(over)}`)
  const changed = Object.entries(over).map(([name, value]) => {
    if (!(name in base)) throw new Error(`${path} has no ${name}`)
    return [name, overlaid(base[name], value, `${path}.${name}`)]
  })
  return { ...base, ...Object.fromEntries(changed) }
}

/** For each mechanism the settings with which it changes nothing. */
const without: Readonly<Record<string, object>> = {
  "read-difficulty": { readDifficultyShare: 0 },
  discount: { imputedDiscountLogit: 0 },
  level: { levelRule: { spread: 1e-3 } },
  cells: { clusterPull: 1e12 },
  tags: { tagPull: 1e12 },
  "learned-share": { laneRule: { hedgeShare: 1 } },
  neighbours: { laneStart: { localShare: 0 }, laneRule: { hedgeShare: 0 } },
  change: { changeRule: { prior: 0 } },
  stale: { memory: { changes: { limit: Infinity } } },
  optimism: { optimismOutcomesMax: 0 },
  votes: { creditedNeighboursMax: 0 },
  decay: { decayHalfLifeDays: Infinity },
  propensity: { inversePropensityMin: 1, inversePropensityMax: 1 }
}

/**
 * The settings of the engine, and of memory in `memory`. Those of a JSON text such as `{"clusterPull":50}` overrule
 * them, and comma-separated mechanisms are left out.
 */
export const settingsIn = (json: string, leftOut: string = ""): typeof own =>
  leftOut.split(",").filter((name) => name !== "").reduce((settings, name) => {
    const over = without[name]
    if (over === undefined) throw new Error(`${name} is none of ${Object.keys(without).join(", ")}`)
    // `overlaid` gives back the fields of `own`, each of its own type.
    return overlaid(settings, over) as typeof own
  }, overlaid(own, JSON.parse(json)) as typeof own)
