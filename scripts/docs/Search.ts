/* Finds sections of the documentation by words, in the browser. */

/** A heading and the text below it. */
export interface Section {
  readonly page: string
  readonly heading: string
  /** The path at which it is served, without a slash before it. */
  readonly url: string
  readonly text: string
}

const resultsMax = 12
const excerptLength = 120

/** The beginning that a word shares with its other forms. */
const stemOf = (word: string): string => word.replace(/(?<=\w{3})(?:ies|ing|ed|es|[sye])$/, "")

/** Words that a search ignores. */
const fillers = new Set(
  "a an and are be can do does for from how i if in is it me my of on or should the this to we what when where which why with you your"
    .split(" ")
)

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

const begins = (text: string, stem: string): boolean => wordsOf(text).some((word) => word.startsWith(stem))

/** The stems of a query, without fillers unless there is nothing else. */
const stemsOf = (query: string): ReadonlyArray<string> => {
  const words = wordsOf(query)
  const telling = words.filter((word) => !fillers.has(word))
  return (telling.length === 0 ? words : telling).map(stemOf)
}

/** How much a section is about a word; 0 where it does not have it. */
const weightOf = ({ heading, page, text }: Section, stem: string): number =>
  (begins(page, stem) ? 6 : 0) + (begins(heading, stem) ? 8 : 0)
  + Math.min(4, wordsOf(text).filter((word) => word.startsWith(stem)).length)

/** The sections that have every word, or else any, the best first. */
export const found = (sections: ReadonlyArray<Section>, query: string): ReadonlyArray<Section> => {
  const stems = stemsOf(query)
  const weighed = sections.map((section) => ({ section, weights: stems.map((stem) => weightOf(section, stem)) }))
  const whole = weighed.filter(({ weights }) => weights.every((weight) => weight > 0))
  const any = weighed.filter(({ weights }) => weights.some((weight) => weight > 0))
  const sum = (weights: ReadonlyArray<number>): number => weights.reduce((one, other) => one + other, 0)
  return (stems.length === 0 ? [] : whole.length > 0 ? whole : any)
    .sort((one, other) => sum(other.weights) - sum(one.weights))
    .slice(0, resultsMax).map(({ section }) => section)
}

/** The text around the first of the words. */
export const excerptOf = ({ text }: Section, query: string): string => {
  const [first = ""] = stemsOf(query)
  const at = Math.max(0, text.toLowerCase().search(new RegExp(`(?<![\\p{L}\\p{N}])${first}`, "u")) - 30)
  const start = at === 0 ? 0 : text.indexOf(" ", at) + 1
  return `${start === 0 ? "" : "… "}${text.slice(start, start + excerptLength)}${text.length > start + excerptLength ? " …" : ""}`
}
