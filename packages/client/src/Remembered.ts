/* A map that forgets its oldest entry when it is full. */

/** Entries that a map keeps, count. */
const rememberedMax = 10_000

/** Sets an entry as the newest one. */
export const remember = <K, V>(map: Map<K, V>, key: K, value: V): void => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > rememberedMax) map.delete(oldest!)
}
