import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { identityOfNobody } from "../../../src/postgres/embedded/Identity.ts"
import { commandOf, installed, linked, type Programs, reachable } from "../../../src/postgres/embedded/Programs.ts"
import { temporaryDirectory } from "../../support/Databases.ts"

const isRoot = process.getuid?.() === 0

/** A folder that is root's alone. */
const closed = mkdtempSync(join(tmpdir(), "sextant-test-"))
/** In it, the package as npm unpacks it where install scripts are off: without links, until a test makes them. */
const programs: Programs = { ...installed(), root: join(closed, "native") }

beforeAll(() => {
  execFileSync("cp", ["-aL", installed().root, programs.root])
  for (const name of readdirSync(join(programs.root, "lib"))) {
    if (/^lib(icu|pq|pgtypes|ecpg)[a-z0-9_]*\.so(\.\d+)?$/.test(name)) rmSync(join(programs.root, "lib", name))
  }
}, 60_000)
afterAll(() => rmSync(closed, { recursive: true }))

const versionOf = (programs: Programs, who: { readonly uid: number; readonly gid: number } | null = null) => {
  const { file, options } = commandOf(programs, "postgres", who)
  return spawnSync(file, ["--version"], { ...options, cwd: "/", encoding: "utf8" }).stdout
}

const runs = "postgres (PostgreSQL) 18.4\n"

describe("PostgreSQL's programs", () => {
  it.live.skipIf(!isRoot)("run with links in a folder of the user who may not write the package", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryDirectory
      const { uid, gid } = identityOfNobody()
      chmodSync(folder, 0o777)
      chmodSync(closed, 0o755)
      const module = new URL("../../../src/postgres/embedded/Programs.ts", import.meta.url).href
      const script = join(folder, "link.mjs")
      writeFileSync(script, `import { linked } from ${JSON.stringify(module)}
        console.log(JSON.stringify(linked(${JSON.stringify(programs)}, ${JSON.stringify(join(folder, "links"))})))`)
      const { stderr, stdout } = spawnSync(process.execPath, [script], { uid, gid, encoding: "utf8" })
      assert.isTrue(existsSync(join(folder, "links")), stderr)
      assert.strictEqual(versionOf(JSON.parse(stdout), identityOfNobody()), runs)
    }).pipe(Effect.ensuring(Effect.sync(() => chmodSync(closed, 0o700)))))

  it.live("run once their missing links are made, in the package itself where that can be written", () =>
    Effect.gen(function*() {
      assert.notStrictEqual(versionOf(programs), runs)
      const folder = join(yield* temporaryDirectory, "links")
      assert.strictEqual(versionOf(linked(programs, folder)), runs)
      assert.isFalse(existsSync(folder))
    }))

  it.live.skipIf(!isRoot)("are copied once for a user who cannot reach them, whatever the umask", () =>
    Effect.gen(function*() {
      linked(programs, "")
      const open = yield* temporaryDirectory
      chmodSync(open, 0o755)
      const copies = join(open, "copies")
      // The package lies in a folder that is root's alone.
      assert.notStrictEqual(versionOf(programs, identityOfNobody()), runs)
      const before = process.umask(0o077)
      const first = reachable(programs, identityOfNobody(), copies)
      process.umask(before)
      assert.isTrue(first.isCopied)
      assert.strictEqual(versionOf(first.programs, identityOfNobody()), runs)
      assert.isFalse(reachable(programs, identityOfNobody(), copies).isCopied)
      // A copy that another user could have written is not run.
      chmodSync(first.programs.root, 0o777)
      assert.throws(() => reachable(programs, identityOfNobody(), copies), /can be written by others than root/)
    }))

  it.skipIf(!isRoot)("that cannot be copied anywhere are refused with a line that says what to do", () => {
    assert.throws(() => reachable(linked(programs, ""), identityOfNobody(), "/proc/none"), /run Sextant as a user other than root/)
  })
})
