/**
 * Builds src/engine/classifier/concepts.bin from the words' list `concepts`, a lexicon of our own: concepts, and the
 * words and phrases that name them in seven languages. Usage: node_modules/.bin/node scripts/training/concepts.ts
 */
import { writeFileSync } from "node:fs"
import { conceptMax, encode, keyStep, type Phrase, phraseTokensMax, tokens } from "../../src/engine/classifier/Tokens.ts"
import { offsetBasis } from "../../src/stats/Hash.ts"
import { rowsIn } from "./words.ts"

const languages = ["en", "de", "fr", "es", "pt", "zh", "ja"] as const

type Row = { readonly concept: string } & Readonly<Partial<Record<typeof languages[number], ReadonlyArray<string>>>>

/** The phrases of some rows and all their beginnings; a row's number, from 1 on, is its concept. */
const phrasesOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Phrase> => {
  const phrases = new Map<number, { readonly concepts: Array<number>; goesOn: boolean }>()
  rows.forEach((row, index) => {
    for (const entry of languages.flatMap((language) => row[language] ?? [])) {
      const { hashes, size } = tokens(entry.toLowerCase())
      if (size === 0 || size > phraseTokensMax) continue
      let key = offsetBasis
      for (let place = 0; place < size; place++) {
        key = keyStep(key, hashes[place]!)
        const phrase = phrases.get(key) ?? { concepts: [], goesOn: false }
        phrases.set(key, phrase)
        if (place < size - 1) phrase.goesOn = true
        else if (!phrase.concepts.includes(index + 1)) phrase.concepts.push(index + 1)
      }
    }
  })
  return [...phrases].map(([key, { concepts: [first = 0, second = 0], goesOn }]) => ({ key, concepts: [first, second], goesOn }))
}

const rows = rowsIn<Row>("concepts")
if (rows.length > conceptMax) throw new Error(`${rows.length} concepts, at most ${conceptMax}`)
const phrases = phrasesOf(rows)
writeFileSync(new URL("../../src/engine/classifier/concepts.bin", import.meta.url), encode(phrases))
console.log(`${rows.length} concepts, ${phrases.length} phrases and beginnings of phrases`)
