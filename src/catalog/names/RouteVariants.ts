/* Words after a colon that change a model's price at a gateway, for example `gpt-oss-120b:free`. */

/** A variant of a model's route, and its effect on the prices. */
export interface RouteVariant {
  readonly word: string
  /**
   * Ratio of the variant's price to the model's price; null if the ratio is unknown. `tier` means the price
   * ratio of the service tier.
   */
  readonly priceRatio: number | "tier" | null
}

/**
 * All variants of routes. The price of `online` is unknown, because it depends on the number of searches. The
 * other variants with a null ratio choose a provider, whose prices are unknown.
 */
const variants: ReadonlyArray<RouteVariant> = [
  { word: "free", priceRatio: 0 },
  ...["batch", "flex", "priority"].map((word) => ({ word, priceRatio: "tier" as const })),
  ...["exacto", "extended", "floor", "nitro", "online"].map((word) => ({ word, priceRatio: null }))
]

const byWord: ReadonlyMap<string, RouteVariant> = new Map(variants.map((variant) => [variant.word, variant]))

/**
 * Returns the variant at the end of a name, and the name without the variant. Returns null for a name without
 * a variant.
 */
export const routeVariantOf = (
  name: string
): { readonly name: string; readonly variant: RouteVariant } | null => {
  const at = name.lastIndexOf(":")
  const variant = at <= 0 ? undefined : byWord.get(name.slice(at + 1).toLowerCase())
  return variant === undefined ? null : { name: name.slice(0, at), variant }
}
