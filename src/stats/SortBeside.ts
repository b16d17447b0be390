/** Sorts a column of keys, and moves a second column into the same order. */

/** Longest run of entries that is sorted by insertion. */
const runMax = 16

let spareKeys = new Float64Array(256)
let spareBeside = new Float64Array(256)

const insert = (keys: Float64Array, beside: Float64Array, from: number, to: number): void => {
  for (let place = from + 1; place < to; place++) {
    const key = keys[place]!
    const value = beside[place]!
    let at = place
    for (; at > from && keys[at - 1]! > key; at--) {
      keys[at] = keys[at - 1]!
      beside[at] = beside[at - 1]!
    }
    keys[at] = key
    beside[at] = value
  }
}

/** Merges the sorted entries [from, middle) and [middle, to). */
const merge = (
  keys: Float64Array, beside: Float64Array, from: number, middle: number, to: number
): void => {
  spareKeys.set(keys.subarray(from, middle))
  spareBeside.set(beside.subarray(from, middle))
  const count = middle - from
  for (let left = 0, right = middle, at = from; left < count; at++) {
    const takesRight = right < to && keys[right]! < spareKeys[left]!
    keys[at] = takesRight ? keys[right]! : spareKeys[left]!
    beside[at] = takesRight ? beside[right++]! : spareBeside[left++]!
  }
}

/**
 * Sorts the first `count` keys, ascending and stable, and moves each value of `beside` with its key.
 * `Array.sort` would need an object for each key and a call for each comparison.
 */
export const sortBeside = (keys: Float64Array, beside: Float64Array, count: number): void => {
  for (let from = 0; from < count; from += runMax) insert(keys, beside, from, Math.min(count, from + runMax))
  if (spareKeys.length < count) {
    spareKeys = new Float64Array(count)
    spareBeside = new Float64Array(count)
  }
  for (let width = runMax; width < count; width *= 2) {
    for (let from = 0; from + width < count; from += 2 * width) {
      merge(keys, beside, from, from + width, Math.min(count, from + 2 * width))
    }
  }
}
