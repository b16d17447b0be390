import { Schema, SchemaTransformation } from "effect"

/** Longest identifier a caller may send, in characters: ids, namespaces, labels. */
export const identifierLengthMax = 256

const isStorable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/** Text that PostgreSQL can store: NUL characters removed, lone surrogates replaced by U+FFFD. */
export const scrub = (text: string): string => text.toWellFormed().replaceAll("\u0000", "")

/**
 * A name that is compared exactly: 1 to 256 characters, no NUL, no lone surrogate. Refused rather than
 * repaired, because a repaired identifier would silently be another one.
 */
export const Identifier = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(identifierLengthMax),
  Schema.makeFilter((text: string) => isStorable(text) || "Expected text without NUL or lone surrogates")
)

/** Prose from a caller: never refused for its characters, repaired by {@link scrub} instead. */
export const FreeText = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: scrub, encode: (text: string) => text })
  )
)
