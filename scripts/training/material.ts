/**
 * Texts for the slots of a template: `slots` has single words, and `pasted` has texts that people paste with a request.
 */
import { rowsIn } from "./words.ts"

type Material = Readonly<Record<string, ReadonlyArray<string>>>

const filled: Material = Object.fromEntries(
  rowsIn<{ readonly slot: string; readonly values: ReadonlyArray<string> }>("slots").map(({ slot, values }) => [slot, values])
)
const sentences = filled["sent"]!

/** Texts of three and more of the sentences: every task type shares them, so that they predict none. */
const texts = Array.from({ length: 24 }, (_, index) =>
  Array.from({ length: 3 + (index % 4) * (index % 6 === 5 ? 9 : 2) }, (_, place) =>
    sentences[(index * 7 + place * (3 + (index % 5))) % sentences.length]!)
    .join(index % 5 === 4 ? "\n" : " "))

export const slots: Material = { ...filled, text: texts }

const kinds: Material = Object.fromEntries(
  [...Map.groupBy(rowsIn<{ readonly kind: string; readonly text: string }>("pasted"), ({ kind }) => kind)]
    .map(([kind, rows]) => [kind, rows.map(({ text }) => text)])
)
const of = (kind: string): ReadonlyArray<string> => kinds[kind]!
const prose = of("prose")
/** Four paragraphs each. */
const long = prose.map((text, index) =>
  [text, prose[(index + 3) % 8]!, prose[(index + 5) % 9]!, prose[(index + 1) % 9]!].join("\n\n"))

const { prose: _, ...short } = kinds

/** By kind; `paste` is text of any kind, so that no pasted content predicts a type. */
export const pasted: Material = {
  ...short,
  paste: [
    ...prose, ...prose, ...of("email"), ...of("chat"), ...of("review"), ...of("contract").slice(1), ...of("recipe"),
    ...of("log").slice(1), ...of("table"), ...long
  ]
}
