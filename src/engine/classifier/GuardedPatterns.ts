/** Lists of regular expressions. One is tried only when the text has the literals that it needs. */
import { TextCodes } from "../../domain/text/TextCodes.ts"
import {
  isWordCode, letterOf, lettersOf, lineStart, requiredLiterals, shortestOf, wideLetter, wordEnd, wordStart
} from "./RequiredLiterals.ts"

/** Sets of literals that are looked for of one pattern, count: the most telling ones. */
const setsMax = 3

/** Letters of a literal that are looked for, count: longer ones are hardly ever something else. */
const lettersMax = 10

/**
 * All literals as a tree of letters, level by level and so small that it stays in the processor's cache. The
 * children of a node are those from `childrenFrom[node]` on, and `letters` has the column of each; the sets
 * of a literal that ends at a node are `sets` from `setsFrom[node]` on.
 */
interface Tree {
  readonly width: number
  /** The column of each letter, by its character code; what no literal holds shares the first two. */
  readonly columns: Uint8Array
  /** By column: 1 for a character of a word, and 1 for one that may end a line. */
  readonly isWord: Uint8Array
  readonly isBreak: Uint8Array
  readonly childrenFrom: Uint16Array
  readonly letters: Uint8Array
  /** By root and column, `width * root + column`: the child of a root, 0 where there is none. */
  readonly first: Uint16Array
  /** By two columns, `width * first + second`: a bit for each root from which a literal may go on there. */
  readonly pairs: Uint8Array
  readonly setsFrom: Uint16Array
  /** Twice the number of a set, and 1 if no word character may follow. */
  readonly sets: Uint16Array
}

/** The columns of marks and of word characters that no literal holds. */
const otherMark = 0
const otherWord = 1

/** Where the literals of each place begin in the tree: anywhere, at a word, at the first word of a line. */
const anywhere = 1
const atWord = 2
const atLine = 3
const rootOf = (literal: string): number =>
  literal.startsWith(wordStart) ? atWord : literal.startsWith(lineStart) ? atLine : anywhere

/** Letters that may end a line: some characters past ASCII do. */
const lineBreaks = ["\n", "\r", wideLetter]
const wideCode = wideLetter.charCodeAt(0)

const emptyNode = () => ({ children: new Map<number, number>(), ends: new Set<number>() })

/** The tree without its order: the children and the sets of each node. */
const nodesOf = (sets: ReadonlyArray<ReadonlyArray<string>>, columns: Uint8Array) => {
  const nodes = Array.from({ length: atLine + 1 }, emptyNode)
  sets.forEach((set, index) => {
    for (const literal of set) {
      const letters = lettersOf(literal)
      let node = rootOf(literal)
      for (let at = 0; at < Math.min(lettersMax, letters.length); at++) {
        const { children } = nodes[node]!
        const column = columns[letters.charCodeAt(at)]!
        node = children.get(column) ?? nodes.push(emptyNode()) - 1
        children.set(column, node)
      }
      nodes[node]!.ends.add(index * 2 + Number(literal.endsWith(wordEnd) && letters.length <= lettersMax))
    }
  })
  return nodes
}

const treeOf = (sets: ReadonlyArray<ReadonlyArray<string>>): Tree => {
  const held = [...new Set(sets.flat().map(lettersOf).join("") + `\n\r${wideLetter}`)]
  const width = held.length + 2
  const isWord = Uint8Array.of(0, 1, ...held.map((letter) => Number(isWordCode(letter.charCodeAt(0)))))
  const isBreak = Uint8Array.of(0, 0, ...held.map((letter) => Number(lineBreaks.includes(letter))))
  const columns = Uint8Array.from({ length: wideCode + 1 }, (_, code) => {
    const column = held.indexOf(letterOf(code))
    return column >= 0 ? column + 2 : isWordCode(code) ? otherWord : otherMark
  })
  const nodes = nodesOf(sets, columns)
  const order = [...nodes.slice(0, atLine + 1)]
  const letters: Array<number> = order.map(() => 0)
  const childrenFrom = new Uint16Array(nodes.length + 1)
  const setsFrom = new Uint16Array(nodes.length + 1)
  const first = new Uint16Array((atLine + 1) * width)
  for (let node = 0; node < order.length; node++) {
    const { children, ends } = order[node]!
    childrenFrom[node] = order.length
    setsFrom[node + 1] = setsFrom[node]! + ends.size
    for (const [column, child] of children) {
      if (node <= atLine) first[node * width + column] = order.length
      letters.push(column)
      order.push(nodes[child]!)
    }
  }
  childrenFrom[order.length] = order.length
  const pairs = new Uint8Array(width * width)
  for (const root of [anywhere, atWord, atLine]) {
    for (const [first, child] of nodes[root]!.children) {
      const { children, ends } = nodes[child]!
      for (let second = 0; second < width; second++) {
        if (ends.size > 0 || children.has(second)) pairs[first * width + second]! |= 1 << root
      }
    }
  }
  const ended = Uint16Array.from(order.flatMap(({ ends }) => [...ends]))
  return {
    width, columns, isWord, isBreak, childrenFrom, letters: Uint8Array.from(letters), first, pairs, setsFrom,
    sets: ended
  }
}

/** A text's characters, and their columns, which grow: scratch space of one synchronous call. */
const reading = new TextCodes(1_024)
let scratch = new Uint8Array(1_024)

/** Finds which of the sets of literals have one in a text. */
class Finder {
  readonly #tree: Tree
  /** The number of the latest text in which each set was found. */
  readonly #found: Uint32Array
  #text = 0
  constructor(sets: ReadonlyArray<ReadonlyArray<string>>) {
    this.#tree = treeOf(sets)
    this.#found = new Uint32Array(sets.length)
  }

  has(set: number): boolean {
    return this.#found[set] === this.#text
  }

  read(text: string): void {
    if (this.#text === 0xffff_ffff) this.#found.fill(this.#text = 0)
    this.#text++
    reading.read(text)
    const { codes, length } = reading
    const { columns } = this.#tree
    if (length >= scratch.length) scratch = new Uint8Array(length * 2)
    for (let index = 0; index < length; index++) {
      const code = codes[index]!
      scratch[index] = columns[code < wideCode ? code : wideCode]!
    }
    scratch[length] = otherMark
    search(this.#tree, scratch, length, this.#found, this.#text)
  }
}

/** Whether only marks are between the start of a line and a place in a text. */
const isFirstWord = ({ isBreak, isWord }: Tree, text: Uint8Array, start: number): boolean => {
  let before = start - 1
  while (before >= 0 && isWord[text[before]!] === 0 && isBreak[text[before]!] === 0) before--
  return before < 0 || isBreak[text[before]!] === 1
}

/** Writes `mark` for each set that has a literal in the first `length` columns of `text`; a mark ends it. */
const search = (tree: Tree, text: Uint8Array, length: number, found: Uint32Array, mark: number): void => {
  const { first, isWord, pairs, width } = tree
  for (let start = 0; start < length; start++) {
    const column = text[start]!
    // At most places no literal begins with these two letters: one read, and a branch that is foreseen.
    const roots = pairs[column * width + text[start + 1]!]!
    if (roots === 0) continue
    if (roots & 1 << anywhere) walk(tree, first[anywhere * width + column]!, text, start, found, mark)
    if (start > 0 && isWord[text[start - 1]!] === 1) continue
    if (roots & 1 << atWord) walk(tree, first[atWord * width + column]!, text, start, found, mark)
    if (roots & 1 << atLine && isFirstWord(tree, text, start)) {
      walk(tree, first[atLine * width + column]!, text, start, found, mark)
    }
  }
}

/** The child of a node for the letter of a column; 0 for none. */
const childOf = ({ childrenFrom, letters }: Tree, node: number, column: number): number => {
  const end = childrenFrom[node + 1]!
  for (let child = childrenFrom[node]!; child < end; child++) if (letters[child] === column) return child
  return 0
}

/** Follows the literals from the node of the letter at `start` on. No literal holds the mark at the end. */
const walk = (
  tree: Tree,
  from: number,
  text: Uint8Array,
  start: number,
  found: Uint32Array,
  mark: number
): void => {
  const { isWord, sets, setsFrom } = tree
  let node = from
  for (let index = start + 1; node !== 0; index++) {
    for (let at = setsFrom[node]!; at < setsFrom[node + 1]!; at++) {
      const set = sets[at]!
      if ((set & 1) === 0 || isWord[text[index]!] === 0) found[set >> 1] = mark
    }
    node = childOf(tree, node, text[index]!)
  }
}

/** The literals of a pattern that are looked for. */
const guardsOf = (pattern: RegExp): ReadonlyArray<ReadonlyArray<string>> =>
  requiredLiterals(pattern).toSorted((a, b) => shortestOf(b) - shortestOf(a)).slice(0, setsMax)

/** A list of patterns, none of them global, behind one search for all their literals. */
export class GuardedPatterns {
  readonly #patterns: ReadonlyArray<RegExp>
  /** The numbers of the sets of each pattern. */
  readonly #guards: ReadonlyArray<ReadonlyArray<number>>
  readonly #finder: Finder
  constructor(patterns: ReadonlyArray<RegExp>) {
    this.#patterns = patterns
    const numbers = new Map<string, number>()
    const sets: Array<ReadonlyArray<string>> = []
    this.#guards = patterns.map((pattern) => guardsOf(pattern).map((set) => {
      const key = JSON.stringify(set)
      const number = numbers.get(key) ?? sets.push(set) - 1
      numbers.set(key, number)
      return number
    }))
    this.#finder = new Finder(sets)
  }

  /** Adds to `found` the index of each pattern that holds for a text, plus `base`, in their order. */
  holding(text: string, base: number, found: Array<number>): void {
    this.#finder.read(text)
    this.#patterns.forEach((pattern, index) => {
      if (this.#isPossible(this.#guards[index]!) && pattern.test(text)) found.push(base + index)
    })
  }

  #isPossible(guards: ReadonlyArray<number>): boolean {
    for (const guard of guards) if (!this.#finder.has(guard)) return false
    return true
  }
}
