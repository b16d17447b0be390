/** Drops the preamble of a request: greetings, and a persona with its rules. */
import { greeting, persona, rule, workVerb } from "./patterns/Preambles.ts"
import { bare, markerCharsMax, sentencesOf, taskCharsMin } from "./Sentences.ts"

/**
 * Sentences in which rules of a system prompt are looked for, count; longer prompts are rare and cost time.
 */
const preambleSentencesMax = 24
/** Longest first paragraph that is dropped whole where it opens like a system prompt, characters. */
const paragraphCharsMax = 1_500

/** Index at which the first line ends. */
const lineEnd = (text: string): number => {
  const end = text.indexOf("\n")
  return end < 0 ? text.length : end
}

/** The text without greetings, and without a persona and the rules that follow it, at its start. */
export const withoutPreamble = (text: string): string => {
  let rest = text.trimStart()
  for (let round = 0; round < 4; round++) {
    const head = rest.slice(0, markerCharsMax)
    const dropped = head.length - head.replace(greeting, "").length
    if (dropped === 0 || rest.slice(dropped).trim().length < taskCharsMin) break
    rest = rest.slice(dropped).trimStart()
  }
  if (!persona.test(bare(rest.slice(0, 80)))) return rest
  const paragraph = rest.indexOf("\n\n")
  const opening = rest.slice(0, Math.max(0, paragraph))
  const isWholePreamble = paragraph > 0 && paragraph <= paragraphCharsMax
    && !opening.includes("?") && !workVerb.test(opening)
  let dropped = isWholePreamble && rest.length - paragraph > taskCharsMin
    ? rest.slice(paragraph).trimStart()
    : rest
  for (let count = 0; count < preambleSentencesMax; count++) {
    const line = dropped.slice(0, lineEnd(dropped))
    const sentence = sentencesOf(line.slice(0, markerCharsMax * 4))[0] ?? ""
    const plain = bare(sentence)
    const isRule = plain === ""
      || (plain.length <= markerCharsMax && (persona.test(plain) || rule.test(plain)))
    if (!isRule || plain.endsWith("?")) break
    const shorter = dropped.slice(sentence.length).trimStart()
    if (shorter.length < taskCharsMin) break
    dropped = shorter
  }
  return dropped
}
