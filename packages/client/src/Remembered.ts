/* A map that forgets its oldest entry when it is full. */

/** Sets an entry as the newest of at most `max`, count >= 1. */
export const remember = <K, V>(map: Map<K, V>, key: K, value: V, max: number): void => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > max) map.delete(oldest!)
}
