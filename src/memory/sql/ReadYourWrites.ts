/**
 * Remembers the newest version that this process wrote to each lane, because the next recall must see it. A
 * version is remembered for `waitMs`. All times are in ms of the monotonic clock.
 */
export const makeReadYourWrites = (waitMs: number) => {
  const writes = new Map<string, { readonly version: number; readonly untilMs: number }>()
  return {
    add: (key: string, version: number, nowMs: number): void => {
      for (const [known, { untilMs }] of writes) {
        // The map keeps the order of writing, so the oldest entry comes first.
        if (untilMs > nowMs) break
        writes.delete(known)
      }
      const before = writes.get(key)?.version ?? 0
      writes.delete(key)
      writes.set(key, { version: Math.max(before, version), untilMs: nowMs + waitMs })
    },
    versionMin: (key: string, nowMs: number): number => {
      const write = writes.get(key)
      return write === undefined || write.untilMs <= nowMs ? 0 : write.version
    }
  }
}

export type ReadYourWrites = ReturnType<typeof makeReadYourWrites>
