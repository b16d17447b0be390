/*
 * Moves the times of an exported account, so that what was played in seconds lies in a month. It serves the demo alone:
 * the API takes no dates. The order of all times stays, also of those in ids.
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"

/** A stretch of time, ms since 1970. */
export interface Stretch {
  readonly startMs: number
  readonly endMs: number
}

const hourMs = 3_600_000

/** How much is asked in an hour, relative to others: most at work, UTC, and little at night and on weekends. */
const trafficAt = (ms: number): number => {
  const at = new Date(ms)
  const isWeekend = at.getUTCDay() % 6 === 0
  const isWork = at.getUTCHours() >= 7 && at.getUTCHours() < 18
  return (isWork ? 1 : 0.12) * (isWeekend ? 0.2 : 1)
}

/** Where a share of all traffic has been asked, of a stretch. */
const momentOf = ({ endMs, startMs }: Stretch): (share: number) => number => {
  const hours = Math.ceil((endMs - startMs) / hourMs)
  const sums = [0]
  for (let hour = 0; hour < hours; hour++) sums.push(sums[hour]! + trafficAt(startMs + hour * hourMs))
  const all = sums[hours]!
  return (share) => {
    const wanted = Math.min(1, Math.max(0, share)) * all
    const hour = Math.min(hours - 1, Math.max(0, sums.findIndex((sum) => sum >= wanted) - 1))
    const within = (wanted - sums[hour]!) / (sums[hour + 1]! - sums[hour]!)
    return Math.min(endMs, startMs + (hour + within) * hourMs)
  }
}

const timestamps = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)/g
/** UUIDs of version 7, whose first 48 bits are their time. */
const timedIds = /\b([0-9a-f]{8})-([0-9a-f]{4})(-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\b/g
const milliseconds = /(?<![\d.])1\d{12}(?![\d.])/g

/** The line with its times within `played` moved to `month`; other times stay. */
export const moved = (played: Stretch, month: Stretch): (line: string) => string => {
  const at = momentOf(month)
  const move = (ms: number): number | null =>
    ms < played.startMs || ms > played.endMs
      ? null
      : Math.round(at((ms - played.startMs) / (played.endMs - played.startMs)))
  return (line) => line
    .replace(timestamps, (text) => {
      const to = move(new Date(text).getTime())
      return to === null ? text : new Date(to).toISOString().replace("Z", "+00:00")
    })
    .replace(timedIds, (text, high: string, low: string, rest: string) => {
      const to = move(Number.parseInt(high + low, 16))
      if (to === null) return text
      const time = to.toString(16).padStart(12, "0")
      return `${time.slice(0, 8)}-${time.slice(8)}${rest}`
    })
    .replace(milliseconds, (text) => String(move(Number(text)) ?? text))
}

/** Moves the times of an account's file, and seals it anew. */
export const spreadFile = (path: string, played: Stretch, month: Stretch): void => {
  const move = moved(played, month)
  const lines = readFileSync(path, "utf8").trimEnd().split("\n").slice(0, -1).map((line, index) =>
    `${index === 0 ? line : move(line)}\n`).join("")
  const sha256 = createHash("sha256").update(lines).digest("hex")
  writeFileSync(path, `${lines}${JSON.stringify({ kind: "end", sha256 })}\n`)
}
