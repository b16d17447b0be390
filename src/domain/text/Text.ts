/* Schemas of callers' texts, and how they are quoted in sentences. */
import { Schema, SchemaTransformation } from "effect"
import { variantOf, writtenOf } from "../model/ModelVariant.ts"
import { shown } from "./HiddenCharacters.ts"
import { cut, cutBetween } from "./TextLimits.ts"

/** Longest identifier a caller may send, in characters: ids, namespaces, labels. */
export const identifierLengthMax = 256

const isStorable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/** Text that PostgreSQL can store: NUL characters removed, lone surrogates replaced by U+FFFD. */
export const scrub = (text: string): string => text.toWellFormed().replaceAll("\u0000", "")

/** Text that is looked up and written nowhere: any length, no NUL, no lone surrogate. */
export const Reference = Schema.String.check(
  Schema.makeFilter((text: string) => isStorable(text) || "Expected text without NUL or lone surrogates")
)

/**
 * A name that is compared exactly: 1 to 256 characters, no NUL, no lone surrogate. Refused rather than
 * repaired, because a repaired identifier would silently be another one.
 */
export const Identifier = Reference.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(identifierLengthMax)
)

/** Prose from a caller: never refused for its characters, repaired by {@link scrub} instead. */
export const FreeText = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: scrub, encode: (text: string) => text })
  )
)

/**
 * {@link FreeText} of which the first `codePoints` are read and kept: what is longer is cut on its way in.
 */
export const Prose = (codePoints: number) =>
  Schema.String.annotate({
    description: `Only the first ${codePoints} characters are read and kept.`
  }).pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform({
        decode: (text: string) => scrub(cut(text, codePoints)),
        encode: (text: string) => cut(text, codePoints)
      })
    )
  )

/** Longest quotation, and longest name, in a sentence of ours, in characters. */
const quotationMax = 160
const nameMax = 80

/**
 * What a caller wrote, as data: one line between quotation marks. Of a longer text the beginning and the end
 * are left, where most errors stand.
 */
export const quoted = (text: string, lengthMax = quotationMax): string => {
  const line = shown(text).replace(/\s+/g, " ").trim()
  const half = Math.floor((lengthMax - 3) / 2)
  return JSON.stringify(
    line.length > lengthMax ? cutBetween(line, half, " … ", half) : line
  )
}

/**
 * A model's name as it is, a variant's as a request spells it; quoted when it is not one plain word, since
 * callers may send any text.
 */
export const nameOf = (id: string): string => {
  const variant = variantOf(id)
  if (variant !== null) return writtenOf({ ...variant, modelId: nameOf(variant.modelId) })
  return id.length <= nameMax && /^[\w.:/@+-]+$/.test(id) ? id : quoted(id, nameMax)
}
