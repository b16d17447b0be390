/* Inserts a piece into a JSON text. Removing the piece restores the original byte for byte. */

/** A value's place in a text: the index of the first character, and the index after the last character. */
interface Node {
  readonly from: number
  readonly to: number
  /** An object's members with names, or an array's elements without names; null if the value is neither. */
  readonly members: ReadonlyArray<readonly [name: string | null, value: Node]> | null
}

const nodeAt = (text: string, start: number): Node => {
  const skip = (at: number): number => at + (/^[\s,:]*/.exec(text.slice(at, at + 4_096))?.[0].length ?? 0)
  const skipAll = (at: number): number => {
    for (let here = at;;) {
      const next = skip(here)
      if (next === here) return here
      here = next
    }
  }
  const stringEnd = (at: number): number => {
    let here = at + 1
    while (text[here] !== "\"") here += text[here] === "\\" ? 2 : 1
    return here + 1
  }
  const from = skipAll(start)
  const first = text[from]
  if (first === "\"") return { from, to: stringEnd(from), members: null }
  if (first !== "{" && first !== "[") {
    let to = from
    while (to < text.length && !/[\s,\]}]/.test(text[to] ?? "")) to++
    return { from, to, members: null }
  }
  const members: Array<readonly [string | null, Node]> = []
  for (let at = skipAll(from + 1);; at = skipAll(at)) {
    if (text[at] === "}" || text[at] === "]") return { from, to: at + 1, members }
    const nameEnd = first === "{" ? stringEnd(at) : at
    const value = nodeAt(text, nameEnd)
    members.push([first === "{" ? JSON.parse(text.slice(at, nameEnd)) as string : null, value])
    at = value.to
  }
}

export interface Inserted {
  readonly text: string
  readonly piece: string
}

const styleOf = (text: string): { readonly unit: string; readonly line: string } => ({
  unit: /^\s*[{[]\r?\n([ \t]+)/.exec(text)?.[1] ?? "  ",
  line: text.includes("\r\n") ? "\r\n" : "\n"
})

const withMember = (
  text: string,
  parent: Node,
  depth: number,
  name: string | null,
  value: unknown
): Inserted => {
  const { line, unit } = styleOf(text)
  const indent = unit.repeat(depth + 1)
  const written = JSON.stringify(value, null, unit).replaceAll("\n", line + indent)
  const member = line + indent + (name === null ? "" : `${JSON.stringify(name)}: `) + written
  const last = parent.members?.at(-1)
  const at = last === undefined ? parent.from + 1 : last[1].to
  const piece = last === undefined ? member + line + unit.repeat(depth) : `,${member}`
  return { piece, text: text.slice(0, at) + piece + text.slice(at) }
}

/**
 * Adds an element to the array at the path `outer.inner`, whose missing parts are added. Returns null if the
 * text or `outer` is no object, or `inner` is no array.
 */
export const withElement = (
  text: string,
  [outer, inner]: readonly [string, string],
  element: unknown
): Inserted | null => {
  const root = nodeAt(text, 0)
  if (text[root.from] !== "{") return null
  const find = (node: Node, name: string) => node.members?.findLast(([one]) => one === name)?.[1]
  const object = find(root, outer)
  if (object === undefined) return withMember(text, root, 0, outer, { [inner]: [element] })
  if (text[object.from] !== "{") return null
  const array = find(object, inner)
  if (array === undefined) return withMember(text, object, 1, inner, [element])
  return text[array.from] === "[" ? withMember(text, array, 2, null, element) : null
}

/** Removes pieces from a text; returns null if one is not found. `pieces` are in the order of insertion. */
export const withoutPieces = (text: string, pieces: ReadonlyArray<string>): string | null => {
  let rest = text
  for (const piece of [...pieces].reverse()) {
    const at = rest.lastIndexOf(piece)
    if (at === -1) return null
    rest = rest.slice(0, at) + rest.slice(at + piece.length)
  }
  return rest
}

export const inStyleOf = (text: string, value: unknown): string => {
  const { line, unit } = styleOf(text)
  return JSON.stringify(value, null, unit).replaceAll("\n", line) + (/\n$/.test(text) ? line : "")
}
