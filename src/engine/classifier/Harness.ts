/** Drops the blocks that coding agents and chat clients put around a request. */
import { attachedName, harnessTag, requestTag } from "./patterns/Harness.ts"

/** The word that stands for a code fence and for a file that is attached. */
export const codeMark = "codeblock"

/** What stands in the last tags of a request; the whole text without any. */
const requestIn = (text: string): string => {
  const tag = [...text.matchAll(requestTag)].at(-1)
  if (tag === undefined) return text.trim()
  const start = tag.index + tag[0].length
  const end = text.indexOf(`</${tag[1]!}>`, start)
  return end < 0 ? text.trim() : text.slice(start, end).trim()
}

/**
 * The text without the blocks of a harness (`<system-reminder>`, `<environment_details>`); an attached file
 * is one word. Empty where the text is nothing else; time is linear in the text.
 */
export const withoutHarness = (text: string): string => {
  if (!text.includes("</")) return text
  const unclosed = new Set<string>()
  let kept = ""
  let from = 0
  for (const match of text.matchAll(harnessTag)) {
    const name = match[1]!
    if (match.index < from || unclosed.has(name.toLowerCase())) continue
    const close = text.indexOf(`</${name}>`, match.index)
    // A name that is never closed is only spoken of.
    if (close < 0) unclosed.add(name.toLowerCase())
    else {
      kept += `${text.slice(from, match.index)}${attachedName.test(name) ? `\n${codeMark}\n` : "\n"}`
      from = close + name.length + 3
    }
  }
  return from === 0 ? text : requestIn(`${kept}${text.slice(from)}`)
}
