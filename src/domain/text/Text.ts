/* Schemas of callers' texts, and functions that quote such texts in sentences. */
import { Schema, SchemaTransformation } from "effect"
import { variantOf, writtenOf } from "../model/ModelVariant.ts"
import { shown } from "./HiddenCharacters.ts"
import { cut, cutBetween } from "./TextLimits.ts"

/** Maximum length of an identifier in a request, in characters. */
export const identifierLengthMax = 256

const isStorable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/**
 * Returns a text without the characters that PostgreSQL cannot store. NUL characters are removed, and U+FFFD
 * replaces lone surrogates.
 */
export const scrub = (text: string): string => text.toWellFormed().replaceAll("\u0000", "")

/**
 * A text that is only looked up and never stored. Any length is allowed, but no NUL and no lone surrogate.
 */
export const Reference = Schema.String.check(
  Schema.makeFilter((text: string) => isStorable(text) || "Expected text without NUL or lone surrogates")
)

/**
 * A name that is compared exactly: 1 to 256 characters, no NUL, no lone surrogate. A wrong name is refused,
 * because a repaired name would be another name.
 */
export const Identifier = Reference.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(identifierLengthMax)
)

/** A caller's prose. {@link scrub} repairs the text, so no text is refused because of its characters. */
export const FreeText = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: scrub, encode: (text: string) => text })
  )
)

/** Prose ({@link FreeText}) that is cut to its first `codePoints` code points. */
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

/** Maximum length of a quotation or a model's name in Sextant's sentences, in characters. */
const quotationMax = 160
const nameMax = 80

/**
 * Returns a caller's text as one quoted line. A long text keeps its beginning and its end, which usually hold
 * the error.
 */
export const quoted = (text: string, lengthMax = quotationMax): string => {
  const line = shown(text).replace(/\s+/g, " ").trim()
  const half = Math.floor((lengthMax - 3) / 2)
  return JSON.stringify(
    line.length > lengthMax ? cutBetween(line, half, " … ", half) : line
  )
}

/**
 * Returns a model's name for a sentence; a variant is spelled as in a request. A name that is not one plain
 * word is quoted, because callers may send any text.
 */
export const nameOf = (id: string): string => {
  const variant = variantOf(id)
  if (variant !== null) return writtenOf({ ...variant, modelId: nameOf(variant.modelId) })
  return id.length <= nameMax && /^[\w.:/@+-]+$/.test(id) ? id : quoted(id, nameMax)
}
