/* Finds the URLs that every model reads by itself. The AI SDK downloads the others and passes their bytes. */
import type { LanguageModelLike, Urls } from "./Shapes.ts"

/** Whether a key such as `image/*` includes another one such as `image/png`. */
const covers = (wide: string, narrow: string): boolean =>
  wide === narrow || /^\*(\/\*)?$/.test(wide) || (wide.endsWith("/*") && narrow.startsWith(wide.slice(0, -1)))

/** A model's patterns for a media type. */
const patternsOf = (urls: Urls, mediaType: string): ReadonlyArray<RegExp> =>
  Object.keys(urls).flatMap((key) => covers(key, mediaType) ? urls[key] ?? [] : [])

/** The URLs that every model reads. Never fails: a model without URLs, or one that throws, reads none. */
export const commonUrls = async (models: ReadonlyArray<LanguageModelLike>): Promise<Urls> => {
  const [first = {}, ...others] = await Promise.all(models.map(async (model) => {
    try {
      return await model.supportedUrls ?? {}
    } catch {
      return {}
    }
  }))
  const mediaTypes = new Set([first, ...others].flatMap(Object.keys))
  return Object.fromEntries([...mediaTypes].map((mediaType) => [
    mediaType,
    patternsOf(first, mediaType).filter((pattern) =>
      others.every((urls) => patternsOf(urls, mediaType).some((other) => String(other) === String(pattern)))
    )
  ]))
}
