import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { parseManifest, segmentsOf } from "../../../src/postgres/backup/Manifest.ts"

/** A manifest as PostgreSQL 18 writes it. */
const manifest = (body: string) => {
  const text = `{ "PostgreSQL-Backup-Manifest-Version": 2,\n"System-Identifier": 7575361186553434042,\n${body}`
  return `${text}"Manifest-Checksum": "${createHash("sha256").update(text).digest("hex")}"}\n`
}

const one = manifest(`"Files": [
{ "Path": "base/1/2619", "Size": 8192, "Last-Modified": "2026-11-22 17:00:00 GMT", "Checksum-Algorithm": "SHA256", "Checksum": "ab" }
],
"WAL-Ranges": [
{ "Timeline": 1, "Start-LSN": "0/3000028", "End-LSN": "0/3000158" }
],
`)

describe("the manifest", () => {
  it("is read with its files, its log and the cluster's number, which is no safe integer", () => {
    const read = parseManifest(one)
    assert.deepStrictEqual(read?.files.get("base/1/2619"), { sizeBytes: 8192, sha256: "ab" })
    assert.strictEqual(read?.systemIdentifier, "7575361186553434042")
    assert.deepStrictEqual(read?.walRanges, [{ timeline: 1, from: 0x3000028n, until: 0x3000158n }])
  })

  it("is refused when any byte of it was changed", () => {
    for (const [from, to] of [["8192", "8193"], ["2619", "2618"], ["3000028", "3000029"], ["ab", "ac"]] as const) {
      assert.isNull(parseManifest(one.replace(from, to)))
    }
    for (const text of ["", "{}", one.slice(0, -3), "null"]) assert.isNull(parseManifest(text))
  })

  it("names each segment of the log from the first to the last byte of a range", () => {
    const segments = (from: bigint, until: bigint) => segmentsOf([{ timeline: 1, from, until }], 4 * 2 ** 20)
    assert.deepStrictEqual(segments(0x3000028n, 0x3000158n), ["00000001000000000000000C"])
    assert.deepStrictEqual(segments(0x3ffff00n, 0x4000000n), ["00000001000000000000000F"])
    assert.deepStrictEqual(segments(0xffc00000n, 0x100000001n), ["0000000100000000000003FF", "000000010000000100000000"])
  })
})
