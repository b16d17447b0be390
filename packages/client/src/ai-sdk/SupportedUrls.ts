/* Finds the URL patterns that every model fetches itself. The AI SDK downloads all other URLs. */
import type { LanguageModelLike, Urls } from "./Shapes.ts"

/** Whether a media type such as `image/*` includes another media type such as `image/png`. */
const covers = (wide: string, narrow: string): boolean =>
  wide === narrow || /^\*(\/\*)?$/.test(wide) || (wide.endsWith("/*") && narrow.startsWith(wide.slice(0, -1)))

const patternsOf = (urls: Urls, mediaType: string): ReadonlyArray<RegExp> =>
  Object.keys(urls).flatMap((key) => covers(key, mediaType) ? urls[key] ?? [] : [])

/** If a model's `supportedUrls` is missing or throws, the model supports no URL. */
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
