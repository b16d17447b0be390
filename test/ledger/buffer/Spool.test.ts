import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { execFileSync } from "node:child_process"
import {
  appendFileSync, chmodSync, chownSync, closeSync, existsSync, linkSync, mkdirSync, openSync, readdirSync, readFileSync,
  renameSync, rmSync, statSync, symlinkSync, writeFileSync
} from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import type { Decision } from "../../../src/domain/Decision.ts"
import * as RecommendationId from "../../../src/domain/RecommendationId.ts"
import { AccountId } from "../../../src/domain/Scope.ts"
import { bufferSettings } from "../../../src/ledger/buffer/BufferSettings.ts"
import * as LedgerBuffered from "../../../src/ledger/buffer/LedgerBuffered.ts"
import * as Spool from "../../../src/ledger/buffer/Spool.ts"
import { eraseSpooled } from "../../../src/ledger/buffer/SpoolErasure.ts"
import { makeSpoolFile } from "../../../src/ledger/buffer/SpoolFile.ts"
import { spoolFolder, takeSpoolLock } from "../../../src/ledger/buffer/SpoolFolder.ts"
import { lineOf } from "../../../src/ledger/buffer/SpoolLines.ts"
import { Ledger, LedgerUnavailable } from "../../../src/ledger/Ledger.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"
import * as LedgerLocal from "../../local/LedgerLocal.ts"
import { decision } from "../../support/builders.ts"
import { temporaryDirectory } from "../../support/Databases.ts"

const acme = AccountId.make("acme")

let tick = 0
const decided = (accountId = acme, userId: string | null = null): Decision => {
  const at = Date.now() - 1_000_000 + tick++
  return decision({ accountId, userId, recommendationId: RecommendationId.make(at), createdAt: new Date(at) })
}

const outage = new LedgerUnavailable({ reason: new Reason.Unreachable({ cause: "out" }) })

/** What a ledger was asked to write; `isOut` refuses all. */
interface Store {
  isOut: boolean
  readonly written: Array<Decision>
  /** What happens while a write is under way. */
  during?: (decisions: ReadonlyArray<Decision>) => Effect.Effect<unknown>
}

/** A service's ledger on that directory, until the scope ends. */
const service = (directory: string, store: Store) => {
  const base = Layer.effect(Ledger, Effect.map(Ledger, (ledger) =>
    Ledger.of({
      ...ledger,
      record: (decisions) =>
        Effect.suspend(() => {
          if (store.isOut) return Effect.fail(outage)
          store.written.push(...decisions)
          return Effect.andThen(store.during?.(decisions) ?? Effect.void, ledger.record(decisions))
        })
    }))).pipe(Layer.provide(Layer.fresh(LedgerLocal.layer)))
  return Effect.map(
    Layer.build(Layer.fresh(LedgerBuffered.layer.pipe(Layer.provide([base, Spool.layer(directory, "db")])))),
    (context) => Effect.provide(Ledger, context)
  ).pipe(Effect.flatMap((ledger) => ledger))
}

const spoolOf = (directory: string) => spoolFolder(directory, "db")
const files = (directory: string, end = ".spool") =>
  readdirSync(spoolOf(directory)).filter((name) => name.endsWith(end))

/** A file as a process that was killed has left it. */
const left = (directory: string, name: string, decisions: ReadonlyArray<Decision>) => {
  mkdirSync(spoolOf(directory), { recursive: true })
  const path = join(spoolOf(directory), `${name}.spool`)
  writeFileSync(path, decisions.map(lineOf).join(""))
  return path
}

const until = (condition: () => boolean) =>
  Effect.gen(function*() {
    while (!condition()) yield* Effect.sleep("10 millis")
  }).pipe(Effect.timeout("30 seconds"))

const ids = (decisions: ReadonlyArray<Decision>) => decisions.map(({ recommendationId }) => recommendationId).sort()

describe("a spool", () => {
  it.live("holds an outage's decisions before their answers leave, and is gone once the ledger has them", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const store: Store = { isOut: true, written: [] }
      const ledger = yield* service(directory, store)
      const decisions = [decided(), decided(), decided()]
      for (const each of decisions) {
        yield* Effect.flip(ledger.record([each]))
        const [name = ""] = files(directory)
        assert.include(readFileSync(join(spoolOf(directory), name), "latin1"), each.recommendationId)
      }
      const [name = ""] = files(directory)
      assert.strictEqual(statSync(join(spoolOf(directory), name)).mode & 0o777, 0o600)
      assert.strictEqual(statSync(spoolOf(directory)).mode & 0o777, 0o700)
      store.isOut = false
      yield* until(() => store.written.length >= 3 && files(directory).length === 0)
      assert.deepStrictEqual(ids(store.written), ids(decisions))
    }))

  it.live("of a process that stopped in an outage is written by the next start", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const decisions = [decided(), decided(AccountId.make("umbrella"))]
      yield* Effect.scoped(Effect.gen(function*() {
        const ledger = yield* service(directory, { isOut: true, written: [] })
        for (const each of decisions) yield* Effect.flip(ledger.record([each]))
      }))
      assert.strictEqual(files(directory).length, 1)
      const store: Store = { isOut: true, written: [] }
      const ledger = yield* service(directory, store)
      // Feedback must not hear that it does not exist, and another account nothing at all.
      for (const { accountId, recommendationId } of decisions) {
        assert.strictEqual((yield* Effect.flip(ledger.find(accountId, recommendationId)))._tag, "LedgerUnavailable")
      }
      assert.isNull(yield* ledger.find(AccountId.make("umbrella"), decisions[0]?.recommendationId ?? assert.fail()))
      store.isOut = false
      yield* until(() => files(directory).length === 0)
      assert.deepStrictEqual(ids(store.written), ids(decisions))
      for (const { accountId, recommendationId } of decisions) {
        assert.strictEqual((yield* ledger.find(accountId, recommendationId))?.recommendationId, recommendationId)
      }
    }))

  it.live("is never written into another database than the one it was meant for", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const other = spoolFolder(directory, "another")
      mkdirSync(other, { recursive: true })
      writeFileSync(join(other, "dead.spool"), lineOf(decided()))
      const store: Store = { isOut: false, written: [] }
      yield* service(directory, store)
      yield* Effect.sleep("200 millis")
      assert.deepStrictEqual(store.written, [])
      assert.deepStrictEqual(readdirSync(other), ["dead.spool"])
    }))

  it.live("is left alone by other processes while its own runs", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const one = yield* service(directory, { isOut: true, written: [] })
      const mine = decided()
      yield* Effect.flip(one.record([mine]))
      const other: Store = { isOut: false, written: [] }
      yield* service(directory, other)
      yield* Effect.sleep("300 millis")
      assert.deepStrictEqual(other.written, [])
      assert.strictEqual(files(directory).length, 1)
    }))

  it.live("of a dead process is written by one of two that start together", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const decisions = Array.from({ length: 200 }, () => decided())
      left(directory, "dead", decisions)
      const stores = [0, 1].map((): Store => ({ isOut: false, written: [] }))
      yield* Effect.forEach(stores, (store) => service(directory, store), { concurrency: "unbounded" })
      yield* until(() => files(directory).length === 0)
      assert.deepStrictEqual(ids(stores.flatMap(({ written }) => written)), ids(decisions))
    }))

  it.live("of which the end was torn and the middle damaged gives what is whole", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const decisions = Array.from({ length: 5 }, () => decided())
      const path = left(directory, "dead", decisions)
      const bytes = readFileSync(path)
      const third = bytes.indexOf(Buffer.from(decisions[2]?.recommendationId ?? ""))
      bytes[third] = 0x7a
      writeFileSync(path, bytes.subarray(0, bytes.length - 3))
      const store: Store = { isOut: false, written: [] }
      yield* service(directory, store)
      yield* until(() => files(directory).length === 0)
      assert.deepStrictEqual(ids(store.written), ids([0, 1, 3].flatMap((i) => decisions[i] ?? [])))
    }))

  it.live("is kept with whatever this version cannot read, and gives what it can", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = left(directory, "mixed", [decided()])
      const newer = "{\"of\":\"another shape\"}"
      appendFileSync(path, `\n${crc32(newer).toString(16).padStart(8, "0")} ${newer}\n`)
      left(directory, "empty", [])
      const store: Store = { isOut: false, written: [] }
      yield* service(directory, store)
      yield* until(() => files(directory).length === 0)
      assert.deepStrictEqual(files(directory, ".kept"), ["mixed.kept"])
      assert.strictEqual(store.written.length, 1)
    }))

  it.live("never gives back an erased account's decisions, nor an erased user's, and gives the others", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const umbrella = AccountId.make("umbrella")
      const mine = decided()
      const ofUser = decided(umbrella, "u-canary")
      const ofOther = decided(umbrella, "v")
      left(directory, "dead", [mine, ofUser, ofOther])
      const live: Store = { isOut: true, written: [] }
      const ledger = yield* service(directory, live)
      // The start above holds the dead process's file; this one is another's.
      left(directory, "dead2", [mine, ofUser, ofOther])
      yield* Effect.flip(ledger.record([decided()]))
      const erased = yield* Effect.promise(() => eraseSpooled(spoolOf(directory), "acme", null, new Date()))
      assert.deepStrictEqual(erased, { removed: 1, live: 2, unreadable: [] })
      assert.deepStrictEqual(yield* Effect.promise(() => eraseSpooled(spoolOf(directory), "umbrella", "u-canary", new Date())),
        { removed: 1, live: 2, unreadable: [] })
      for (const name of readdirSync(spoolOf(directory)).filter((each) => !/^(dead\.|.{16}\.)/.test(each))) {
        assert.notMatch(name + readFileSync(join(spoolOf(directory), name), "latin1"), /acme|u-canary/)
      }
      live.isOut = false
      yield* until(() => files(directory).length === 1)
      assert.deepStrictEqual(ids(live.written), ids([ofOther]))
      const after = decided()
      const later = { ...after, createdAt: new Date(Date.now() + 60_000) }
      live.isOut = true
      yield* Effect.flip(ledger.record([later]))
      live.isOut = false
      yield* until(() => live.written.length === 2)
    }))

  it.live("that is full or cannot be written leaves the decisions in memory, as without one", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = join(directory, "full.spool")
      const file = makeSpoolFile(path, 100)
      yield* file.append(Buffer.alloc(80))
      assert.strictEqual((yield* Effect.flip(file.append(Buffer.alloc(30)))).reason, "full")
      assert.strictEqual(statSync(path).size, file.bytes())
      const nowhere = makeSpoolFile(join(directory, "missing", "a.spool"), 100)
      assert.strictEqual((yield* Effect.flip(nowhere.append(Buffer.alloc(1)))).reason, "failed")

      // A folder where the file was: it cannot be removed as a file, and the log says just that.
      const kept = makeSpoolFile(join(directory, "kept.spool"), 100)
      yield* kept.append(Buffer.alloc(1))
      rmSync(join(directory, "kept.spool"))
      mkdirSync(join(directory, "kept.spool"))
      assert.strictEqual((yield* Effect.flip(kept.removeIf(() => true, async () => {}))).reason, "kept")

      // A file where the folder should be: even root cannot write there.
      const blocked = join(directory, "blocked")
      writeFileSync(blocked, "")
      const store: Store = { isOut: true, written: [] }
      const ledger = yield* service(blocked, store)
      const one = decided()
      yield* Effect.flip(ledger.record([one]))
      store.isOut = false
      yield* until(() => store.written.length === 1)
    }))

  it.live("leaves nothing of a first write that failed", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "pipe.spool")
      // Bytes can be written to a pipe, and not be forced to disk.
      execFileSync("mkfifo", [path])
      const reader = openSync(path, "r+")
      const file = makeSpoolFile(path, 100)
      assert.strictEqual((yield* Effect.flip(file.append(Buffer.alloc(1)))).reason, "failed")
      yield* file.removeIf(() => true, async () => {})
      closeSync(reader)
      assert.isFalse(existsSync(path))
    }))

  it.live("forces a whole group to disk at once", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = join(directory, "a.spool")
      const file = makeSpoolFile(path, 10_000_000)
      const parts = Array.from({ length: 2_000 }, (_, i) => Buffer.from(`{"n":${i}}\n`))
      yield* Effect.forEach(parts, file.append, { concurrency: "unbounded" })
      assert.isTrue(readFileSync(path).equals(Buffer.concat(parts)))
      yield* file.removeIf(() => false, async () => {})
      assert.isTrue(existsSync(path))
      yield* file.removeIf(() => true, async () => {})
      assert.isFalse(existsSync(path))
    }))

  it.live("has what memory has no more room for, and gives it back with the rest", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const store: Store = { isOut: true, written: [] }
      const ledger = yield* service(directory, store)
      const decisions = Array.from({ length: bufferSettings.decisionsMax + 300 }, () => decided())
      for (let at = 0; at < decisions.length; at += 100) {
        const [first, ...rest] = decisions.slice(at, at + 100)
        if (first !== undefined) yield* Effect.flip(ledger.record([first, ...rest]))
      }
      const oldest = decisions[0]?.recommendationId ?? assert.fail()
      const vote = { thumb: "up", comment: null } as const
      for (const asked of [ledger.find(acme, oldest), ledger.vote(acme, oldest, vote)]) {
        assert.isTrue((yield* Effect.flip<unknown, LedgerUnavailable, never>(asked)).reason.isRetryable)
      }
      store.isOut = false
      yield* until(() => files(directory).length === 0)
      assert.deepStrictEqual([...new Set(ids(store.written))], ids(decisions))
    }), 60_000)

  it.live("has what leaves memory while it is read, and gives it back too", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const early = Array.from({ length: bufferSettings.decisionsMax + 1 }, () => decided())
      left(directory, "dead", early)
      const store: Store = { isOut: true, written: [] }
      const ledger = yield* service(directory, store)
      const [first, ...more] = Array.from({ length: bufferSettings.decisionsMax }, () => decided())
      const last = decided()
      store.during = (batch) => {
        // Of the early ones, the oldest alone is not in memory, which is empty by now, and full afterwards.
        if (batch[0]?.recommendationId !== early[0]?.recommendationId || store.isOut) return Effect.void
        store.isOut = true
        return Effect.andThen(
          Effect.exit(ledger.record([first ?? assert.fail(), ...more])), Effect.exit(ledger.record([last]))
        ).pipe(Effect.andThen(Effect.sync(() => {
          store.isOut = false
          delete store.during
        })))
      }
      store.isOut = false
      yield* until(() => files(directory).length === 0)
      const all = [...early, first ?? assert.fail(), ...more, last]
      assert.deepStrictEqual([...new Set(ids(store.written))], ids(all))
    }), 60_000)

  it.live("gives back no decision of an account that was erased longer ago than marks are kept", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = left(directory, "dead", [])
      yield* Effect.promise(() => eraseSpooled(spoolOf(directory), "acme", null, new Date()))
      const [mark = ""] = files(directory, ".erased")
      const agoMs = Date.now() - 40 * 86_400_000
      renameSync(join(spoolOf(directory), mark), join(spoolOf(directory), mark.replace(/\d+\.erased$/, `${agoMs}.erased`)))
      const [mine, other] = [{ ...decided(), createdAt: new Date(agoMs - 1) }, decided(AccountId.make("umbrella"))]
      writeFileSync(path, lineOf(mine) + lineOf(other))
      const store: Store = { isOut: false, written: [] }
      yield* Effect.scoped(Effect.andThen(service(directory, store), until(() => store.written.length > 0)))
      assert.deepStrictEqual(ids(store.written), ids([other]))
      yield* until(() => files(directory).length === 0)
      yield* Effect.scoped(service(directory, store))
      assert.lengthOf(files(directory, ".erased"), 0)
    }))

  it.live("gives back no erased decision where the machine's clock is behind the database's", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const store: Store = { isOut: true, written: [] }
      const ledger = yield* service(directory, store)
      const ahead = (ms: number) => ({ ...decided(), createdAt: new Date(Date.now() + ms) })
      const [mine, after] = [ahead(3_000_000), ahead(4_000_000)]
      yield* Effect.flip(ledger.record([mine]))
      yield* Effect.promise(() => eraseSpooled(spoolOf(directory), "acme", null, new Date(Date.now() + 3_600_000)))
      yield* Effect.flip(ledger.record([after]))
      store.isOut = false
      yield* until(() => files(directory).length === 0)
      assert.deepStrictEqual(ids(store.written), ids([after]))
    }))

  it.live("makes its folder private again", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      mkdirSync(spoolOf(directory), { recursive: true, mode: 0o755 })
      chmodSync(spoolOf(directory), 0o755)
      yield* service(directory, { isOut: false, written: [] })
      assert.strictEqual(statSync(spoolOf(directory)).mode & 0o777, 0o700)
    }))

  it.live("leaves no file behind when its process stops without an outage", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(service(directory, { isOut: false, written: [] }))
      assert.deepStrictEqual(readdirSync(spoolOf(directory)), [])
    }))

  it.live("loses no file that an erasure is just writing, and what a killed one left is removed", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = left(directory, "busy", [decided()])
      left(directory, "dead", [])
      const dead = join(spoolOf(directory), "dead.spool.tmp")
      for (const beside of [`${path}.tmp`, dead]) writeFileSync(beside, "half")
      const lock = takeSpoolLock(path)
      yield* service(directory, { isOut: false, written: [] })
      yield* until(() => !existsSync(dead))
      assert.isTrue(existsSync(`${path}.tmp`))
      lock?.release()
      const store: Store = { isOut: false, written: [] }
      yield* service(directory, store)
      yield* until(() => store.written.length === 1 && !existsSync(`${path}.tmp`))
    }))

  it.live("writes nothing and keeps its files while it cannot be read which accounts were erased", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const mine = decided()
      const other = decided(AccountId.make("umbrella"))
      left(directory, "dead", [mine, other])
      const store: Store = { isOut: true, written: [] }
      const ledger = yield* service(directory, store)
      const late = decided()
      yield* Effect.flip(ledger.record([late]))
      yield* Effect.promise(() => eraseSpooled(spoolOf(directory), "acme", null, new Date()))
      // A file where the folder should be: even root cannot read it.
      const aside = `${spoolOf(directory)}-aside`
      renameSync(spoolOf(directory), aside)
      writeFileSync(spoolOf(directory), "")
      store.isOut = false
      yield* Effect.sleep("1500 millis")
      assert.deepStrictEqual(store.written, [])
      assert.strictEqual(readdirSync(aside).filter((name) => name.endsWith(".spool")).length, 2)
      assert.strictEqual((yield* Effect.flip(ledger.find(acme, late.recommendationId)))._tag, "LedgerUnavailable")
      // The ledger itself is well: what is decided now goes straight there.
      const fresh = { ...decided(), createdAt: new Date(Date.now() + 60_000) }
      yield* ledger.record([fresh])
      assert.deepStrictEqual(ids(store.written), ids([fresh]))
      rmSync(spoolOf(directory))
      renameSync(aside, spoolOf(directory))
      yield* until(() => files(directory).length === 0)
      assert.deepStrictEqual(ids(store.written), ids([fresh, other]))
    }), 30_000)

  it.live("says in the log once that it cannot be read which accounts were erased", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => lines.push(message))
      yield* Effect.gen(function*() {
        const spool = yield* Effect.provide(Spool.Spool, yield* Layer.build(Spool.layer(directory, "db")))
        yield* spool.isErased
        const aside = `${spoolOf(directory)}-aside`
        renameSync(spoolOf(directory), aside)
        writeFileSync(spoolOf(directory), "")
        yield* Effect.flip(spool.isErased)
        yield* Effect.flip(spool.isErased)
        rmSync(spoolOf(directory))
        renameSync(aside, spoolOf(directory))
        yield* spool.isErased
      }).pipe(Effect.provide(Logger.layer([logger])))
      assert.lengthOf(lines.filter((line) => String(line).startsWith("Which accounts were erased cannot be read")), 1)
    }))

  describe.skipIf(process.getuid?.() !== 0)("of which root made files", () => {
    const owner = { uid: 4242, gid: 4243 }
    const all = (directory: string) => [
      join(directory, "spool"),
      ...readdirSync(join(directory, "spool"), { recursive: true, encoding: "utf8" }).map((name) =>
        join(directory, "spool", name))
    ]
    const owners = (directory: string) =>
      [...new Set(all(directory).map((path) => `${statSync(path).uid}:${statSync(path).gid}`))]

    it.live("belongs to the data directory's owner in all its parts", () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        chownSync(directory, owner.uid, owner.gid)
        yield* Effect.scoped(Effect.gen(function*() {
          const ledger = yield* service(directory, { isOut: true, written: [] })
          yield* Effect.flip(ledger.record([decided(), decided(AccountId.make("umbrella"))]))
          assert.strictEqual(files(directory, ".lock").length, 1)
          assert.deepStrictEqual(owners(directory), ["4242:4243"])
        }))
        // As `sudo sextant account erase` on what the owner's service has left.
        const erased = yield* Effect.promise(() => eraseSpooled(spoolOf(directory), "acme", null, new Date()))
        assert.strictEqual(erased.removed, 1)
        assert.deepStrictEqual(owners(directory), ["4242:4243"])
        assert.deepStrictEqual(files(directory).map((name) => statSync(join(spoolOf(directory), name)).mode & 0o777), [0o600])
        assert.strictEqual(files(directory, ".erased").length, 1)
      }))

    it.live("follows no link out of it", () =>
      Effect.gen(function*() {
        const [directory, outside] = yield* Effect.all([temporaryDirectory, temporaryDirectory])
        const strange = join(outside, "roots")
        writeFileSync(strange, "")
        chownSync(directory, owner.uid, owner.gid)
        symlinkSync(strange, join(directory, "a.spool"))
        assert.strictEqual(
          (yield* Effect.flip(makeSpoolFile(join(directory, "a.spool"), 1_000).append(Buffer.alloc(1)))).reason, "failed"
        )
        linkSync(strange, join(directory, "b.spool"))
        yield* makeSpoolFile(join(directory, "b.spool"), 1_000).append(Buffer.alloc(1))
        assert.strictEqual(statSync(strange).uid, 0)
      }))

    it.live("stays root's where the data directory is root's", () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const ledger = yield* service(directory, { isOut: true, written: [] })
        yield* Effect.flip(ledger.record([decided()]))
        assert.deepStrictEqual(owners(directory), ["0:0"])
      }))
  })

  it("has a lock with one holder at a time, and none after its release", () => {
    const path = join("/tmp", `sextant-lock-${process.pid}-${Date.now()}.spool`)
    const first = takeSpoolLock(path)
    assert.isNotNull(first)
    assert.isNull(takeSpoolLock(path))
    first?.release()
    assert.isFalse(existsSync(path.replace(/spool$/, "lock")))
    takeSpoolLock(path)?.release()
  })
})
