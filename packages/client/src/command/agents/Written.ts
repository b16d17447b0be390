/* `~/.sextant/agents.json`: the settings and a record of the files that install wrote. */
import { type Fields, fieldsAt, isFields, parsed, textAt } from "../../agents/Json.ts"
import { settingsPath, type ToolName, toolNames } from "../../agents/Settings.ts"
import { readText, removeText, writeText } from "./Files.ts"
import { mark, withoutHooks } from "./HookEntries.ts"

export interface Installed {
  readonly tool: ToolName
  readonly path: string
  /** The pieces that were inserted into the tool's settings file; null if the whole file is ours. */
  readonly pieces: ReadonlyArray<string> | null
  /** If install created the tool's settings file, the file's text without Sextant's hooks; otherwise null. */
  readonly created: string | null
  /** Folders that were made for the file, the innermost first. */
  readonly folders: ReadonlyArray<string>
}

const textsIn = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : []

const installedOf = (value: unknown): ReadonlyArray<Installed> =>
  (Array.isArray(value) ? value : []).filter(isFields).flatMap((row) => {
    const tool = toolNames.find((name) => name === row["tool"])
    return tool === undefined ? [] : [{
      tool, path: textAt(row, "path"), pieces: Array.isArray(row["pieces"]) ? textsIn(row["pieces"]) : null,
      created: typeof row["created"] === "string" ? row["created"] : null, folders: textsIn(row["folders"])
    }]
  })

export interface Written {
  readonly settings: Fields
  readonly installed: ReadonlyArray<Installed>
}

/** Returns null if `agents.json` is no JSON object; only the person may repair the file. */
export const readWritten = (home: string): Written | null => {
  const text = readText(settingsPath(home))
  if (text === null) return { settings: {}, installed: [] }
  const settings = parsed(text)
  return isFields(settings) ? { settings, installed: installedOf(settings["installed"]) } : null
}

export const writeWritten = (home: string, settings: Fields, installed: ReadonlyArray<Installed>): void =>
  void writeText(settingsPath(home), `${JSON.stringify({ ...settings, installed }, null, 2)}\n`, 0o600)

export const withoutTool = (settings: Fields, tool: ToolName): Fields => {
  const { [tool]: _, ...tools } = fieldsAt(settings, "tools")
  return { ...settings, tools }
}

/** Whether our hooks cannot be removed, because the tool's settings file is no JSON object. */
export const isStuck = ({ path, pieces }: Installed): boolean => {
  const text = pieces === null ? null : readText(path)
  return text !== null && text.includes(mark) && !isFields(parsed(text))
}

/** Removes our text from a file, and returns one line that says what was done. */
export const takeOut = ({ created, folders, path, pieces }: Installed): string => {
  const text = readText(path)
  if (text === null) return `${path} is gone already`
  if (pieces === null) {
    if (!text.includes(mark)) return `${path} is somebody else's now, and stays`
    removeText(path, folders)
    return `removed ${path}`
  }
  const rest = withoutHooks(text, pieces)
  if (rest === text) return `${path} has no hook of ours`
  if (rest === created) {
    removeText(path, folders)
    return `removed ${path}`
  }
  writeText(path, rest)
  return `took our hooks out of ${path}`
}
