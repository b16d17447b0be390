/* A Dockerfile's instructions, as far as ours go: no ARG, no ADD, no here-documents. */

export interface Instruction {
  readonly name: string
  readonly text: string
}

export interface Stage {
  readonly base: string
  /** Null for the last one, which is the image. */
  readonly name: string | null
  readonly instructions: ReadonlyArray<Instruction>
}

export const stagesOf = (dockerfile: string): ReadonlyArray<Stage> => {
  const lines = dockerfile.split("\n").filter((line) => !/^\s*#/.test(line)).join("\n").replace(/\\\n/g, " ")
  const stages: Array<{ base: string; name: string | null; instructions: Array<Instruction> }> = []
  for (const line of lines.split("\n").filter((each) => each.trim() !== "")) {
    const [, name = "", text = ""] = /^([A-Z]+)\s+(.*)$/s.exec(line.trim()) ?? []
    if (name === "FROM") {
      const [, base = "", stage = null] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(text) ?? []
      stages.push({ base, name: stage, instructions: [] })
    } else if (name === "" || stages.length === 0) throw new Error(`Not understood: ${line}`)
    else stages.at(-1)?.instructions.push({ name, text: text.trim() })
  }
  return stages
}

/** The last of its kind in a stage. */
export const last = ({ instructions }: Stage, name: string): string | undefined =>
  instructions.findLast((each) => each.name === name)?.text

/** `KEY=value` pairs of all ENV lines. */
export const environmentOf = ({ instructions }: Stage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    instructions.filter(({ name }) => name === "ENV")
      .flatMap(({ text }) => text.split(/\s+/))
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)])
  )

/** An exec form, `["a", "b"]`. */
export const execForm = (text: string): ReadonlyArray<string> => {
  const words: unknown = JSON.parse(text.slice(text.indexOf("[")))
  if (!Array.isArray(words)) throw new Error(`Not in exec form: ${text}`)
  return words.map(String)
}

const patternOf = (glob: string): RegExp =>
  new RegExp(`^${glob.split("**/").map((part) =>
    part.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*")).join("(?:.*/)?")}(?:/|$)`)

/** Whether a path of the context is sent, by the lines of a `.dockerignore`: the last that matches decides. */
export const isSent = (ignore: string) => {
  const rules = ignore.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ isKept: line.startsWith("!"), pattern: patternOf(line.replace(/^!/, "")) }))
  return (path: string): boolean => rules.findLast(({ pattern }) => pattern.test(path))?.isKept ?? true
}
