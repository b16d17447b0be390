/* Inspects the files before they are read: the form of each, and the position to go on from. */
import { Effect } from "effect"
import { isRefusal, type Layout, layoutOf } from "./Layout.ts"
import { headSha256Of, type LogFile, openLogFile } from "./LogFile.ts"
import { LogError, type LogFormat, type LogPosition } from "./LoggedCall.ts"
import type { CutterStart } from "./rows/RawRow.ts"

/** Unpacked bytes of a file's beginning that are looked at, more where its first row is longer. */
const lookedAtBytes = [2 ** 18, 2 ** 21, 2 ** 24 + 2 ** 20] as const

/** A file, what it is, and where reading it begins. */
export interface Plan {
  readonly path: string
  readonly number: number
  readonly sizeBytes: number
  /** Null for a file without any row. */
  readonly layout: Layout | null
  readonly start: LogPosition
}

/** Where reading of this file begins: after what an earlier reading of it read. */
const startOf = ({ head }: LogFile, from: ReadonlyArray<LogPosition>): LogPosition => {
  const known = from.filter(({ headBytes, headSha256 }) =>
    headBytes <= head.length && headSha256 === headSha256Of(head, headBytes))
  const { line, offset } = known.reduce<CutterStart>(
    (far, one) => one.offset > far.offset ? one : far, { offset: 0, line: 0 })
  return { headBytes: head.length, headSha256: headSha256Of(head, head.length), offset, line }
}

const inspect = Effect.fnUntraced(function*(
  file: LogFile,
  asked: LogFormat | "auto"
): Effect.fn.Return<Layout | null, LogError> {
  let bytes = Buffer.alloc(0)
  for (const enough of lookedAtBytes) {
    let isWhole = false
    const parts: Array<Uint8Array> = [bytes]
    for (let length = bytes.length; length < enough && !isWhole;) {
      const next = yield* file.next
      isWhole = next === null
      length += next?.length ?? 0
      if (next !== null) parts.push(next)
    }
    bytes = Buffer.concat(parts)
    const damage = bytes.length === 0 ? file.damage() : null
    if (damage !== null) {
      const detail = `it is packed by gzip, and nothing of it can be unpacked: ${damage}`
      return yield* new LogError({ path: file.path, reason: "unreadable", detail })
    }
    const layout = layoutOf(bytes, isWhole, asked)
    if (layout !== null && isRefusal(layout)) return yield* new LogError({ path: file.path, ...layout })
    if (layout !== null || isWhole) return layout
  }
  const detail = "its first row is larger than 16 MB: what it is cannot be told"
  return yield* new LogError({ path: file.path, reason: "unclear", detail })
})

/** Looks at the beginning of the `number`th file. */
export const planOf = (
  path: string,
  number: number,
  format: LogFormat | "auto",
  from: ReadonlyArray<LogPosition>
): Effect.Effect<Plan, LogError> =>
  Effect.scoped(Effect.gen(function*() {
    const file = yield* openLogFile(path)
    const layout = yield* inspect(file, format)
    return { path, number, sizeBytes: file.sizeBytes, layout, start: startOf(file, from) }
  }))
