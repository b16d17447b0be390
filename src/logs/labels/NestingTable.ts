/*
 * The spans that stand around a call's own: a framework and a provider's SDK each have a span of one call.
 * Spans come in any order within a row, and in the order of their ends from row to row: the inner first.
 */

/** A span as it is known to its trace, and the one that it is in. */
export interface FoundSpan {
  readonly key: string
  readonly parentKey: string | null
  /** Whether it is a call of a chat model. */
  readonly isCall: boolean
}

export interface NestingTable {
  /** Adds the spans of one row. */
  readonly add: (spans: ReadonlyArray<FoundSpan>) => void
  /** Whether a call is in the span, at any depth. */
  readonly isAroundCall: (key: string) => boolean
}

export const makeNestingTable = (): NestingTable => {
  const around = new Set<string>()
  return {
    add: (spans) => {
      const parents = new Map(spans.map(({ key, parentKey }) => [key, parentKey]))
      for (const { isCall, key, parentKey } of spans) {
        if (!isCall && !around.has(key)) continue
        let above = parentKey
        // Those above one that is known are known too.
        while (above !== null && !around.has(above)) {
          around.add(above)
          above = parents.get(above) ?? null
        }
      }
    },
    isAroundCall: (key) => around.has(key)
  }
}
