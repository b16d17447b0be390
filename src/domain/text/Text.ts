/* Schemas of callers' texts, and functions that quote such texts in sentences. */
import { Schema, SchemaTransformation } from "effect"
import { variantOf, writtenOf } from "../model/ModelVariant.ts"
import { shown } from "./HiddenCharacters.ts"
import { cut, cutBetween } from "./TextLimits.ts"

/** Maximum length of an identifier in a request, in characters. */
export const identifierLengthMax = 256

const isStorable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/** Removes what PostgreSQL cannot store: NUL characters. U+FFFD replaces lone surrogates. */
export const scrub = (text: string): string => text.toWellFormed().replaceAll("\u0000", "")

/** A text without NUL characters and lone surrogates, which PostgreSQL cannot store. */
export const Reference = Schema.String.check(
  Schema.makeFilter((text: string) => isStorable(text) || "Expected text without NUL or lone surrogates")
)

/**
 * An exactly compared name of 1 to 256 characters. A name with a NUL character or a lone surrogate is
 * refused, because a repair would change the name.
 */
export const Identifier = Reference.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(identifierLengthMax)
)

/** {@link scrub} repairs the text, so no text is refused because of its characters. */
export const FreeText = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: scrub, encode: (text: string) => text })
  )
)

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

/** Returns a text as one quoted line. A long text keeps beginning and end, which usually hold the error. */
export const quoted = (text: string, lengthMax = quotationMax): string => {
  const line = shown(text).replace(/\s+/g, " ").trim()
  const half = Math.floor((lengthMax - 3) / 2)
  return JSON.stringify(
    line.length > lengthMax ? cutBetween(line, half, " … ", half) : line
  )
}

/** A model's name for a sentence, quoted unless it is one plain word, because callers may send any text. */
export const nameOf = (id: string): string => {
  const variant = variantOf(id)
  if (variant !== null) return writtenOf({ ...variant, modelId: nameOf(variant.modelId) })
  return id.length <= nameMax && /^[\w.:/@+-]+$/.test(id) ? id : quoted(id, nameMax)
}
