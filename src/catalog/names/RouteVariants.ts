/* Words after a colon that change a model's price at a gateway, for example `gpt-oss-120b:free`. */

export interface RouteVariant {
  readonly word: string
  /** Ratio of the variant's price to the model's; `tier` for the service tier's ratio; null if unknown. */
  readonly priceRatio: number | "tier" | null
}

/**
 * The price of `online` depends on the number of searches. `exacto`, `floor` and `nitro` choose a provider,
 * whose prices are unknown.
 */
const variants: ReadonlyArray<RouteVariant> = [
  { word: "free", priceRatio: 0 },
  ...["batch", "flex", "priority"].map((word) => ({ word, priceRatio: "tier" as const })),
  ...["exacto", "extended", "floor", "nitro", "online"].map((word) => ({ word, priceRatio: null }))
]

const byWord: ReadonlyMap<string, RouteVariant> = new Map(variants.map((variant) => [variant.word, variant]))

/** Returns the variant that ends a name, and the name's beginning; null if the name has no variant. */
export const routeVariantOf = (
  name: string
): { readonly name: string; readonly variant: RouteVariant } | null => {
  const at = name.lastIndexOf(":")
  const variant = at <= 0 ? undefined : byWord.get(name.slice(at + 1).toLowerCase())
  return variant === undefined ? null : { name: name.slice(0, at), variant }
}
