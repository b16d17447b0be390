/* The words after a colon that give a model another price at its gateway: `gpt-oss-120b:free`. */

/** What a variant does to the prices of its model. */
export interface RouteVariant {
  /** The word after the colon. */
  readonly word: string
  /** Price beside the model's, ratio; null where it is not known, and `tier` where it is a service tier's. */
  readonly priceRatio: number | "tier" | null
}

/**
 * Variants by what is known of their prices. Free is free. How often `online` searches is not known before
 * it does, and the others pick a provider, whose prices may be any.
 */
const variants: ReadonlyArray<RouteVariant> = [
  { word: "free", priceRatio: 0 },
  ...["batch", "flex", "priority"].map((word) => ({ word, priceRatio: "tier" as const })),
  ...["exacto", "extended", "floor", "nitro", "online"].map((word) => ({ word, priceRatio: null }))
]

const byWord: ReadonlyMap<string, RouteVariant> = new Map(variants.map((variant) => [variant.word, variant]))

/** The variant that a name ends in, and the name without it; null for any other name. */
export const routeVariantOf = (
  name: string
): { readonly name: string; readonly variant: RouteVariant } | null => {
  const at = name.lastIndexOf(":")
  const variant = at <= 0 ? undefined : byWord.get(name.slice(at + 1).toLowerCase())
  return variant === undefined ? null : { name: name.slice(0, at), variant }
}
