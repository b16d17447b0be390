/** Values by key, keys in the order of their first value: `Map.groupBy`, which Node 20 does not have. */
export const groupBy = <Key, Value>(
  values: Iterable<Value>,
  keyOf: (value: Value) => Key
): Map<Key, Array<Value>> => {
  const groups = new Map<Key, Array<Value>>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}
