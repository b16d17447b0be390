import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  contentLabel, label, lead, notProse, taskWord, verbs
} from "../../../src/engine/classifier/patterns/Requests.ts"
import { colonIn, headChars, opensRequest, signsOf, withoutSpeaker } from "../../../src/engine/classifier/Sentences.ts"
import { fuzzedTexts, variedTexts } from "./variedTexts.ts"

/* The same by expressions alone. */
const plainFirstWord = (unit: string): string => {
  const start = unit.replace(/^[\s\d.)#*>\-•"']{0,12}/, "").replace(lead, "").replace(lead, "")
  return (/^[\p{L}']{1,20}/u.exec(start)?.[0] ?? "").toLowerCase()
}
const plainWithoutSpeaker = (unit: string): string => {
  const speaker = /^[^:：\n]{1,40}[:：]\s+(?=\p{L})/u.exec(unit)?.[0]
  if (speaker === undefined || label.test(unit) || contentLabel.test(unit)) return unit
  if (verbs.has(plainFirstWord(unit))) return unit
  const rest = unit.slice(speaker.length)
  return verbs.has(plainFirstWord(rest)) ? rest : unit
}
const plainSigns = (unit: string): number => {
  const head = unit.slice(0, headChars)
  const end = unit.trimEnd().slice(-4)
  const isLabelled = label.test(head)
  return [
    verbs.has(plainFirstWord(isLabelled ? head.slice(head.search(/[:：]/) + 1) : head)), /[?？]["')\]]{0,2}$/.test(end),
    taskWord.test(head), isLabelled, contentLabel.test(head), /[:：]$/.test(end), notProse.test(head)
  ].reduce((bits, holds, bit) => holds ? bits + 2 ** bit : bits, 0)
}
const same = (unit: string): void => {
  assert.strictEqual(opensRequest(unit), verbs.has(plainFirstWord(unit)), unit)
  assert.strictEqual(withoutSpeaker(unit), plainWithoutSpeaker(unit), unit)
  assert.strictEqual(signsOf(unit, unit.trimEnd().length), plainSigns(unit), unit)
  assert.strictEqual(colonIn(unit), unit.search(/[:：]/), unit)
}

describe("the signs of a sentence", () => {
  it("are those that expressions find, on lines of texts and on lines put together at random", () => {
    const texts = [...variedTexts.map(([, text]) => text.slice(0, 5_000)), ...fuzzedTexts(9, 3_000, 12)]
    for (const text of texts) for (const line of text.split("\n").slice(0, 60)) same(line)
  })

  it("are those that expressions find, after courtesies, bullets, labels and speakers", () => {
    const before = [
      "please ", "Now, ", "can you ", "I'd like to ", "i want to ", "s'il te plaît ", "let's ", "LETS ", "por favor ", "bitte ", "- ", "1) \"", "• ",
      "\u00a0", "Question: ", "Context 2： ", "Ann 14:03: ", "you: ", "\u212aindly ", "nowadays ", "canned ", "help me to ", "your task is to ", "ok,, then "
    ]
    const words = ["write", "Übersetze", "résume", "напиши", "What's", "the", "", "schreibe?", "翻译", "write it\")]", "so:", "a".repeat(30)]
    for (const first of before) for (const second of ["", ...before]) for (const word of words) same(`${first}${second}${word}`)
  })

  it.prop("are those that expressions find, in any text", { text: Schema.String }, ({ text }) => same(text))
})
