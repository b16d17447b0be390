import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { endOfArchive, fileEntry, TarReader } from "../../../src/postgres/backup/Tar.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"

/** What a reader says of an archive that comes in pieces of that size. */
const read = (archive: Buffer, pieceBytes: number) => {
  const files = new Map<string, string>()
  const reader = new TarReader()
  let name = ""
  for (let at = 0; at < archive.length; at += pieceBytes) {
    for (const event of reader.push(archive.subarray(at, at + pieceBytes))) {
      if (event.kind === "entry") {
        name = event.entry.name
        files.set(name, "")
      } else if (event.kind === "data") files.set(name, (files.get(name) ?? "") + event.bytes.toString())
    }
  }
  reader.finish()
  return files
}

const archiveOf = (files: Readonly<Record<string, string>>) =>
  Buffer.concat([...Object.entries(files).map(([name, text]) => fileEntry(name, Buffer.from(text), 0)), endOfArchive])

/** An archive of these names by GNU tar, in its oldest format, which every tar reads. */
const byTar = (args: ReadonlyArray<string>, make: (folder: string) => void) => {
  const folder = temporaryFolder()
  make(folder)
  return execFileSync("tar", ["-c", "-f", "-", "-C", folder, ...args], { stdio: ["ignore", "pipe", "ignore"] })
}

/** The header's byte at a place changed, and its sum made right again. */
const changed = (archive: Buffer, change: (header: Buffer) => void) => {
  const copy = Buffer.from(archive)
  change(copy)
  copy.fill(0x20, 148, 156)
  const sum = copy.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  copy.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "ascii")
  return copy
}

describe("the reader of tar archives", () => {
  const files = { "a.json": "{}", "empty": "", "base/1/block": "x".repeat(512), "base/1/more": "y".repeat(1_300) }

  for (const pieceBytes of [1, 511, 512, 700, 100_000]) {
    it(`gives back what was written when it comes in pieces of ${pieceBytes} bytes`, () => {
      assert.deepStrictEqual(Object.fromEntries(read(archiveOf(files), pieceBytes)), files)
    })
  }

  it("agrees with the tar of this machine on names, folders and contents", () => {
    const archive = byTar(["--format=ustar", "base"], (folder) => {
      mkdirSync(join(folder, "base", "1"), { recursive: true })
      writeFileSync(join(folder, "base", "1", "2619"), "page")
    })
    assert.strictEqual(read(archive, 600).get("base/1/2619"), "page")
    assert.isTrue(read(archive, 600).has("base/1"))
  })

  it("refuses an archive that ends early, wherever that is", () => {
    const whole = archiveOf(files)
    for (let bytes = 0; bytes < whole.length - 1024; bytes += 97) {
      assert.throws(() => read(whole.subarray(0, bytes), 4_096), /ends before/)
    }
  })

  it("refuses a name that leads out of the folder, or that is none", () => {
    for (const name of ["../evil", "/etc/passwd", "a/../../b", "a//b", "a/./b", "..", "a\\b", "a\nb"]) {
      const archive = changed(archiveOf({ x: "1" }), (header) => {
        header.fill(0, 0, 100)
        header.write(name, 0)
      })
      assert.throws(() => read(archive, 4_096), /not a name inside the backup/, name)
    }
  })

  it("refuses links, devices and the extended headers that could rename what follows", () => {
    const link = byTar(["link"], (folder) => symlinkSync("/etc", join(folder, "link")))
    assert.throws(() => read(link, 4_096), /link: is a link/)
    for (const kind of ["1", "3", "6", "x", "g", "L", "K", "S"]) {
      const archive = changed(archiveOf({ x: "1" }), (header) => header.write(kind, 156))
      assert.throws(() => read(archive, 4_096), /no plain file/, kind)
    }
  })

  it("refuses a damaged header and a size that is none", () => {
    const damaged = archiveOf(files)
    damaged[3] = (damaged[3] ?? 0) ^ 1
    assert.throws(() => read(damaged, 4_096), /header of an entry is damaged/)
    const sized = changed(archiveOf(files), (header) => header.write("9z", 124))
    assert.throws(() => read(sized, 4_096), /no readable size/)
  })
})
