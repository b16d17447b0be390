/** Replaces pieces of a request's material by one word each: code, quotations, tagged and pasted texts. */
import { codeMark, withoutPreamble } from "./Envelope.ts"
import { assistantTurn, userTurn } from "./patterns/Envelopes.ts"
import { beginsBehind, textTag, titleAbove, workOnText, workOnThisAbove } from "./patterns/Requests.ts"
import { markerCharsMax, opensOrder, sentencesOf, taskCharsMin } from "./Sentences.ts"

/** The word that replaces a quotation, a tagged block or a pasted text. */
const quoteMark = "quotedblock"
/** Length below which a quotation in triple quotes stays, characters. */
const shortQuoteChars = 60
const openingSentences = 8
const openingChars = 1_200
/** Shortest text that counts as pasted, characters. */
const pastedCharsMin = 12

const withoutFences = (text: string): string => {
  let masked = text
  for (const [fence, word] of [["```", codeMark], ["\"\"\"", quoteMark], ["'''", quoteMark]] as const) {
    const parts = masked.split(fence)
    if (parts.length < 2) continue
    const isKept = (part: string, index: number): boolean =>
      index % 2 === 0 || (part.length < shortQuoteChars && fence !== "```")
    masked = parts.map((part, index) => isKept(part, index) ? part : ` ${word} `).join("\n")
  }
  return masked
}

/** Replaces tagged blocks, unless no other text would remain. */
const withoutTagged = (text: string): string => {
  if (!text.includes("</")) return text
  let kept = ""
  let from = 0
  for (const match of text.matchAll(textTag)) {
    if (match.index < from) continue
    const close = `</${match[1]!}>`
    const end = text.indexOf(close, match.index)
    if (end < 0) break
    kept += `${text.slice(from, match.index)}\n${quoteMark}\n`
    from = end + close.length
  }
  const rest = text.slice(from)
  return `${kept}${rest}`.replaceAll(quoteMark, "").trim().length < taskCharsMin ? text : kept + rest
}

/** Index at which pasted text begins after a sentence that asks for work on it, or -1. */
const pastedFrom = (text: string): number => {
  let start = 0
  let count = 0
  for (const line of text.slice(0, openingChars).split("\n")) {
    let at = start
    for (const sentence of line.length <= shortQuoteChars ? [line] : sentencesOf(line)) {
      if (sentence.length >= pastedCharsMin) {
        if (workOnText.test(sentence)) {
          const found = beginsBehind.exec(text.slice(at).trimEnd())
          return at + (found === null ? sentence.length : found.index + found[0].length)
        }
        if (++count === openingSentences) return -1
      }
      at += sentence.length
    }
    start += line.length + 1
  }
  return -1
}

/** True if one of the first `count` sentences is an order or a question, and the text has no turns. */
const asksFirst = (text: string, count: number): boolean => {
  const opening = withoutPreamble(text).split("\n", 1)[0]!.slice(0, markerCharsMax)
  return sentencesOf(opening).slice(0, count).some((sentence) => opensOrder(sentence))
    && !text.split("\n").some((line) => userTurn.test(line) || assistantTurn.test(line))
}

export const endsWithWork = (text: string): boolean => {
  const at = text.lastIndexOf("\n") + 1
  if (at <= pastedCharsMin || text.length - at > markerCharsMax) return false
  const last = text.slice(at)
  const above = text.slice(0, at)
  return workOnThisAbove.test(last) || (workOnText.test(last) && !asksFirst(above, 1))
    || (titleAbove.test(last) && !asksFirst(above, openingSentences))
}

const withoutPasted = (text: string): string => {
  const from = pastedFrom(text)
  const isBelow = from >= 0 && text.length - from >= pastedCharsMin
  if (isBelow) return `${text.slice(0, from).trimEnd()}\n${quoteMark}`
  return endsWithWork(text) ? `${quoteMark}\n${text.slice(text.lastIndexOf("\n") + 1)}` : text
}

/** Replaces material by single words, so that pasted text does not decide the task's type. */
export const withoutMaterial = (text: string): string => withoutPasted(withoutTagged(withoutFences(text)))
