/** Reads in a regular expression which literals its every match must contain. */

/**
 * Signs inside a literal that stand for a place and not for a letter: no word character is before it; it is
 * the first word of its line, if only white space and marks may be before it; no word character follows.
 */
export const wordStart = "\u0001"
export const lineStart = "\u0002"
export const wordEnd = "\u0003"
/** The letter that stands for every character past ASCII, and the one for every digit. */
export const wideLetter = "\u007f"
const digitLetter = "0"

type Literals = ReadonlyArray<string>

/** What is known of the texts that a part of an expression matches. */
interface PatternPart {
  /** All of them; null when there are many, or when they are not known. */
  readonly exact: Literals | null
  /** With one of these each of them begins; null when that is not known. */
  readonly first: Literals | null
  /** Each of them contains at least one literal of each set. */
  readonly needed: ReadonlyArray<Literals>
}

/** Most texts of one run of parts, and most letters of a class, that are written out, counts. */
const exactMax = 400
const classMax = 12

/** Zero width, such as `(?!x)` and `$`, and what is not read, such as `.` and `\p{L}`. */
const exactly = (exact: Literals): PatternPart => ({ exact, first: exact, needed: [] })
const nothing = exactly([""])
const unknown: PatternPart = { exact: null, first: null, needed: [] }

/** `\s` and `\W` of any number, which may stand between the start of a line and its first word. */
const marks: PatternPart = { ...unknown }

/** The letter of a character: case and the digits are one, and so is all past ASCII. */
export const letterOf = (code: number): string =>
  code > 126 ? wideLetter : code >= 48 && code <= 57 ? digitLetter : String.fromCharCode(code).toLowerCase()

export const isWordCode = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95

/** The place at which a literal begins; empty for any. */
const placeOf = (literal: string): string => literal.charCodeAt(0) < 3 ? literal.charAt(0) : ""

/** A literal without its places: a literal has at most one at either end. */
export const lettersOf = (literal: string): string =>
  literal.slice(placeOf(literal).length, literal.endsWith(wordEnd) ? -1 : literal.length)

/** Two neighbouring texts as one: a place in the middle is left out, and one that its letter cannot have. */
const joined = (left: string, right: string): string => {
  const before = lettersOf(left)
  const after = lettersOf(right)
  if (after === "" && before === "") return left === "" ? right : left
  if (after === "") {
    const isEnd = right === wordStart && isWordCode(before.charCodeAt(before.length - 1))
    return isEnd && !left.endsWith(wordEnd) ? left + wordEnd : left
  }
  const end = right.endsWith(wordEnd) ? wordEnd : ""
  if (before !== "") return placeOf(left) + before + after + end
  return (isWordCode(after.charCodeAt(0)) ? placeOf(left + right) : "") + after + end
}

/** Length of the shortest literal of a set, letters. */
export const shortestOf = (set: Literals): number =>
  set.reduce((least, literal) => Math.min(least, lettersOf(literal).length), Infinity)

/** A set in a list, or no set where one of its literals is empty and tells nothing. */
const telling = (set: Literals | null): ReadonlyArray<Literals> =>
  set !== null && shortestOf(set) > 0 ? [set] : []

const setsOf = ({ exact, needed }: PatternPart): ReadonlyArray<Literals> =>
  exact === null ? needed : telling(exact)

/** The most telling set: the one whose shortest literal is the longest. */
const bestOf = (part: PatternPart): Literals | undefined =>
  setsOf(part).toSorted((a, b) => shortestOf(b) - shortestOf(a) || a.length - b.length)[0]

/** One of several parts. */
const oneOf = (parts: ReadonlyArray<PatternPart>): PatternPart => {
  if (parts.length === 1) return parts[0]!
  const exact = parts.flatMap((part) => part.exact ?? [])
  if (parts.every((part) => part.exact !== null) && exact.length <= exactMax) return exactly(exact)
  const best = parts.map(bestOf)
  const isFirstKnown = parts.every(({ first }) => first !== null)
  return {
    exact: null,
    first: isFirstKnown ? parts.flatMap(({ first }) => first ?? []) : null,
    needed: best.includes(undefined) ? [] : [best.flatMap((set) => set ?? [])]
  }
}

const withEach = (left: Literals, right: Literals): Literals =>
  [...new Set(left.flatMap((before) => right.map((after) => joined(before, after))))]

/** Parts one after another: runs of parts with known texts become sets of longer literals. */
const sequenceOf = (parts: ReadonlyArray<PatternPart>): PatternPart => {
  const needed: Array<Literals> = []
  let first: Literals | null = null
  let isFirst = true
  let run: Literals = [""]
  for (const part of parts) {
    if (part === marks && run.every((text) => text === lineStart)) continue
    // What a line begins with may stand after marks that are in no text of the run.
    const isLine = part.first?.some((text) => text.startsWith(lineStart)) ?? false
    const isJoined = part.first !== null && part.first.length * run.length <= exactMax
      && (!isLine || run.every((text) => text === ""))
    if (isJoined && part.exact !== null) {
      run = withEach(run, part.exact)
      continue
    }
    // Of a part that is not known whole at least the beginning may continue the run.
    const begun = isJoined ? withEach(run, part.first ?? []) : run
    if (isFirst) first = begun
    isFirst = false
    needed.push(...telling(begun), ...part.needed)
    run = part.exact ?? [""]
  }
  if (isFirst) return exactly(run)
  needed.push(...telling(run))
  return { exact: null, first, needed }
}

/** A part that is there at least `min` and at most `max` times. */
const repeated = (part: PatternPart, min: number, max: number): PatternPart => {
  if (part === marks || (min === 1 && max === 1)) return part
  if (min > 0) return { exact: null, first: part.first, needed: setsOf(part) }
  return part.exact !== null && max === 1 ? exactly(["", ...part.exact]) : unknown
}

const quantifier = /[?*+]|\{(\d+)(,?)(\d*)\}/y
/** Letters that stand for themselves; the last one may be repeated. */
const plain = /[a-z ]+/y

/** Reads one expression from left to right. */
class Parser {
  #at = 0
  readonly #source: string
  constructor(source: string) { this.#source = source }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  /** What an expression finds at this place. */
  #exec(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#source)
  }

  alternatives(): PatternPart {
    const parts: Array<PatternPart> = []
    do parts.push(this.#sequence()); while (this.#take("|"))
    return oneOf(parts)
  }

  #sequence(): PatternPart {
    const parts: Array<PatternPart> = []
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!)) {
      const atom = this.#atom()
      const [sign = "", low, comma, high] = this.#exec(quantifier) ?? []
      this.#at += sign.length
      if (sign !== "") this.#take("?")
      const min = sign === "?" || sign === "*" ? 0 : Number(low ?? 1)
      const max = sign === "" || sign === "?" || comma === "" ? Number(low ?? 1) : Number(high || Infinity)
      parts.push(repeated(atom, min, max))
    }
    return sequenceOf(parts)
  }

  #atom(): PatternPart {
    if (this.#take("(?!") || this.#take("(?=")) {
      this.alternatives()
      this.#at++
      return nothing
    }
    if (this.#take("(?:") || this.#take("(")) {
      const inner = this.alternatives()
      this.#at++
      return inner
    }
    if (this.#take("^")) return exactly([lineStart])
    if (this.#take("$")) return nothing
    if (this.#take(".")) return unknown
    if (this.#take("[")) return this.#class()
    if (this.#take("\\b")) return exactly([wordStart])
    if (this.#take("\\W") || this.#take("\\s")) return marks
    const start = this.#at
    const word = this.#exec(plain)?.[0] ?? ""
    if (word.length > 1) {
      this.#at += word.length
      // A quantifier is of the last letter alone.
      if (this.#exec(quantifier) !== null) this.#at--
      return exactly([this.#source.slice(start, this.#at)])
    }
    const letter = this.#letter()
    return letter === null ? unknown : exactly([letter])
  }

  /** The letter of a character or of its escape; null for an escape of many characters. */
  #letter(): string | null {
    if (!this.#take("\\")) return letterOf(this.#source.charCodeAt(this.#at++))
    const code = this.#source.charCodeAt(this.#at++)
    if (this.#source[this.#at - 1] === "d") return digitLetter
    if (this.#source[this.#at - 1] === "n") return "\n"
    if (!isWordCode(code)) return letterOf(code)
    if (/[pP]/.test(this.#source[this.#at - 1]!)) this.#at = this.#source.indexOf("}", this.#at) + 1
    return null
  }

  /** A class of few letters; one of many, or one that names what it does not hold, is not read. */
  #class(): PatternPart {
    const letters = new Set<string>()
    let isKnown = !this.#take("^")
    while (!this.#take("]")) {
      const letter = this.#letter()
      const end = this.#source[this.#at] === "-" && this.#source[this.#at + 1] !== "]" && letter !== null
      if (letter === null) isKnown = false
      else letters.add(letter)
      if (!end) continue
      this.#at++
      const last = this.#letter()
      if (last === null || last !== letter) isKnown = false
    }
    return isKnown && letters.size <= classMax ? exactly([...letters]) : unknown
  }
}

/**
 * Sets of literals, in letters of {@link letterOf} and places: every match of `pattern` contains at least one
 * literal of each set. Empty when nothing is known to be needed.
 */
export const requiredLiterals = (pattern: RegExp): ReadonlyArray<Literals> => {
  // Not read: groups with names, references, characters by their numbers.
  if (/\(\?<|\\[1-9kuxc]/.test(pattern.source)) return []
  const sets = setsOf(new Parser(pattern.source).alternatives())
  // Both flags together let a k match the Kelvin sign, and an s the long one.
  return pattern.unicode && pattern.ignoreCase ? sets.map((set) => [...set, wideLetter]) : sets
}
