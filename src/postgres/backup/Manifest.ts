// Reads the manifest of a base backup: its files, and their checksums.
import { Option, Schema } from "effect"
import { createHash } from "node:crypto"

/** The size and checksum that a file must have. */
export interface FileRecord {
  readonly sizeBytes: number
  /** In lower-case hexadecimal digits. */
  readonly sha256: string
}

/** The write-ahead log that makes the backup consistent: from one position up to, not including, another. */
interface WalRange {
  readonly timeline: number
  readonly from: bigint
  readonly until: bigint
}

export interface Manifest {
  readonly files: ReadonlyMap<string, FileRecord>
  readonly walRanges: ReadonlyArray<WalRange>
  /** Identifies the cluster; null in manifests of PostgreSQL 16 and older, which lack it. */
  readonly systemIdentifier: string | null
}

const Position = Schema.String.check(Schema.isPattern(/^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/))

const Document = Schema.Struct({
  "PostgreSQL-Backup-Manifest-Version": Schema.Literals([1, 2]),
  // A number beyond 2^53: `systemIdentifier` below reads it from the text.
  "System-Identifier": Schema.optionalKey(Schema.Number),
  Files: Schema.Array(Schema.Struct({
    Path: Schema.String,
    Size: Schema.Int,
    "Checksum-Algorithm": Schema.Literal("SHA256"),
    Checksum: Schema.String
  })),
  "WAL-Ranges": Schema.Array(Schema.Struct({
    Timeline: Schema.Int, "Start-LSN": Position, "End-LSN": Position
  })),
  "Manifest-Checksum": Schema.String
})

const readDocument = Schema.decodeUnknownOption(Schema.fromJsonString(Document))

const positionOf = (text: string): bigint => {
  const [high = "0", low = "0"] = text.split("/")
  return BigInt(`0x${high}`) * 2n ** 32n + BigInt(`0x${low}`)
}

/** Whether the manifest's digest of everything before its own line is right, as PostgreSQL computes it. */
const isIntact = (text: string, checksum: string): boolean => {
  const end = text.lastIndexOf("\"Manifest-Checksum\"")
  return end > 0 && createHash("sha256").update(text.slice(0, end)).digest("hex") === checksum
}

/** Null when the text is no manifest, is damaged, or has checksums other than SHA-256. */
export const parseManifest = (text: string): Manifest | null => {
  const document = Option.getOrNull(readDocument(text))
  if (document === null || !isIntact(text, document["Manifest-Checksum"])) return null
  return {
    files: new Map(document.Files.map((file) =>
      [file.Path, { sizeBytes: file.Size, sha256: file.Checksum }])),
    walRanges: document["WAL-Ranges"].map((range) => ({
      timeline: range.Timeline, from: positionOf(range["Start-LSN"]), until: positionOf(range["End-LSN"])
    })),
    systemIdentifier: /"System-Identifier":\s*(\d+)/.exec(text)?.[1] ?? null
  }
}

const hex = (value: bigint): string => value.toString(16).toUpperCase().padStart(8, "0")

/** Names of the segments of the write-ahead log in which the ranges are, for segments of that size. */
export const segmentsOf = (ranges: ReadonlyArray<WalRange>, segmentBytes: number): ReadonlyArray<string> => {
  const size = BigInt(segmentBytes)
  const perFile = 2n ** 32n / size
  return ranges.flatMap(({ from, timeline, until }) => {
    const names: Array<string> = []
    for (let number = from / size; number * size < until; number++) {
      names.push(hex(BigInt(timeline)) + hex(number / perFile) + hex(number % perFile))
    }
    return names
  })
}
