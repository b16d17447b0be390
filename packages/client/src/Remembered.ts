/* A map that forgets its oldest entry when it is full. */

const rememberedMax = 10_000

export const remember = <K, V>(map: Map<K, V>, key: K, value: V): void => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > rememberedMax) map.delete(oldest!)
}
