/* The spans that enclose calls. A framework and a provider's SDK may each write a span for the same call, of
   which only the innermost is counted. Rows are in the order in which their spans ended, so an inner span
   comes first. Within one row, spans may be in any order. */

export interface FoundSpan {
  readonly key: string
  readonly parentKey: string | null
  readonly isCall: boolean
}

export interface NestingTable {
  readonly add: (spans: ReadonlyArray<FoundSpan>) => void
  /** Returns true if the span is above a call, at any depth, by the parents that `add` was given. */
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
        while (above !== null && !around.has(above)) {
          around.add(above)
          above = parents.get(above) ?? null
        }
      }
    },
    isAroundCall: (key) => around.has(key)
  }
}
