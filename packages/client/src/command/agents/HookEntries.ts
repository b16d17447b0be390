/* Adds hook entries to a tool's settings file, and removes them. */
import { type Fields, isFields, parsed } from "../../agents/Json.ts"
import { inStyleOf, withElement, withoutPieces } from "./JsonText.ts"

/** A command-line flag that marks a hook as ours. */
export const mark = "--sextant-agents"

export interface HookEntry {
  readonly event: string
  readonly group: Fields
}

const isOurs = (hook: unknown): boolean => JSON.stringify(hook).includes(mark)

/** Returns the hooks without our hooks, and without entries that become empty by this. */
const hooksWithoutOurs = (hooks: Fields): Fields => {
  const kept = Object.entries(hooks).flatMap(([event, groups]): ReadonlyArray<[string, unknown]> => {
    if (!Array.isArray(groups) || !groups.some(isOurs)) return [[event, groups]]
    const rest = groups.flatMap((group): ReadonlyArray<unknown> => {
      if (!isFields(group) || !isOurs(group) || !Array.isArray(group["hooks"])) return [group]
      const others = group["hooks"].filter((hook) => !isOurs(hook))
      return others.length === 0 ? [] : [{ ...group, hooks: others }]
    })
    return rest.length === 0 ? [] : [[event, rest]]
  })
  return Object.fromEntries(kept)
}

/** Removes our hooks from a settings text, if possible by cutting out the inserted pieces. */
export const withoutHooks = (text: string, pieces: ReadonlyArray<string>): string => {
  const restored = withoutPieces(text, pieces)
  if (restored !== null && isFields(parsed(restored)) && !restored.includes(mark)) return restored
  const settings = parsed(text)
  if (!isFields(settings) || !isFields(settings["hooks"]) || !isOurs(settings["hooks"])) return text
  const hooks = hooksWithoutOurs(settings["hooks"])
  const { hooks: _, ...rest } = settings
  return inStyleOf(text, Object.keys(hooks).length === 0 ? rest : { ...settings, hooks })
}

/** Returns the new settings and the inserted pieces; null if the settings have an unknown form. */
export const withHooks = (
  text: string,
  entries: ReadonlyArray<HookEntry>
): { readonly text: string; readonly pieces: ReadonlyArray<string> } | null => {
  let whole = text
  const pieces: Array<string> = []
  for (const { event, group } of entries) {
    const inserted = withElement(whole, ["hooks", event], group)
    if (inserted === null) return null
    whole = inserted.text
    pieces.push(inserted.piece)
  }
  return { text: whole, pieces }
}
