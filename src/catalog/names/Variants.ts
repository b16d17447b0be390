/* The words after a colon that give a model another price at its gateway: `gpt-oss-120b:free`. */

/** What a variant does to the prices of its model. */
interface Variant {
  /** The word after the colon. */
  readonly word: string
  /** Price beside the model's, ratio; null where it is not known. */
  readonly priceRatio: number | null
}

/**
 * Variants by what is known of their prices. Free is free, and a batch costs half at Anthropic, Google and
 * OpenAI. A search has a fee of its own, and the others pick a provider, whose prices may be any.
 */
const variants: ReadonlyArray<Variant> = [
  { word: "free", priceRatio: 0 },
  { word: "batch", priceRatio: 0.5 },
  ...["exacto", "extended", "floor", "nitro", "online"].map((word) => ({ word, priceRatio: null }))
]

const byWord: ReadonlyMap<string, Variant> = new Map(variants.map((variant) => [variant.word, variant]))

/** The variant that a name ends in, and the name without it; null for any other name. */
export const variantOf = (name: string): { readonly name: string; readonly variant: Variant } | null => {
  const at = name.lastIndexOf(":")
  const variant = at <= 0 ? undefined : byWord.get(name.slice(at + 1).toLowerCase())
  return variant === undefined ? null : { name: name.slice(0, at), variant }
}
