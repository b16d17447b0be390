/* Lays settings that the command line gives as JSON over the engine's own. */
import { defaults } from "../../../src/engine/Settings.ts"

export type SettingsOver = Partial<typeof defaults>

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

/** The engine's numbers with those of a JSON text laid over them, for example `{"clusterPull":50}`. */
export const settingsIn = (json: string): typeof defaults =>
  // `overlaid` gives back the fields of `defaults`, each of its own type.
  overlaid(defaults, JSON.parse(json)) as typeof defaults
