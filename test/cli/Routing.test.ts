import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { checkRouting, mapWith, routeTo } from "../../src/cli/Routing.ts"
import { temporaryDirectory } from "../support/Databases.ts"

/** A map in a file, and a HAProxy that answers every command with that. */
const startMap = Effect.fnUntraced(function*(answer: string) {
  const directory = yield* temporaryDirectory
  const [mapFile, socket] = [join(directory, "cells.map"), join(directory, "socket")]
  writeFileSync(mapFile, "umbrella cell_a\n")
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer({ allowHalfOpen: true }, (connection) => connection.resume().end(answer))
        .listen(socket, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )
  return { kind: "haproxy", mapFile, sockets: [socket] } as const
})

describe("The map of cells", () => {
  it("gets the account's line in place of the one that it had, and keeps the others and the remarks", () => {
    const map = "# acme is here\nacme cell_a\nacme-2 cell_a\n\numbrella cell_b\n"
    assert.strictEqual(mapWith(map, "acme", "cell_b"), "# acme is here\nacme-2 cell_a\n\numbrella cell_b\nacme cell_b\n")
    assert.strictEqual(mapWith(mapWith(map, "acme", "cell_b"), "acme", "cell_b"), mapWith(map, "acme", "cell_b"))
  })

  it("gets a first line, and one after a last line without an end", () => {
    assert.strictEqual(mapWith("", "acme", "cell_a"), "acme cell_a\n")
    assert.strictEqual(mapWith("umbrella  cell_b", "acme", "cell_a"), "umbrella  cell_b\nacme cell_a\n")
  })

  it.live("keeps the lines of accounts that move at once, and a lock that a killed process left stops none", () =>
    Effect.gen(function*() {
      const routing = yield* startMap("")
      writeFileSync(`${routing.mapFile}.lock`, "")
      yield* Effect.forEach(["acme", "beta"], (account) => routeTo(routing, account, "cell_b"), {
        concurrency: "unbounded"
      })
      assert.sameMembers(readFileSync(routing.mapFile, "utf8").trim().split("\n"),
        ["umbrella cell_a", "acme cell_b", "beta cell_b"])
      assert.isFalse(existsSync(`${routing.mapFile}.lock`))
    }).pipe(Effect.provide(NodeServices.layer)))

  it.live("is looked for in its file and in HAProxy before anything is moved", () =>
    Effect.gen(function*() {
      const routing = yield* startMap("# id (file) description\n0 (cells.map) pattern loaded from file")
      yield* checkRouting(routing)
      const missing = { ...routing, mapFile: `${routing.mapFile}.not` }
      assert.include((yield* Effect.flip(checkRouting(missing))).message, "cannot be changed")
      const without = yield* startMap("# id (file) description")
      assert.include((yield* Effect.flip(checkRouting(without))).message, "has no map cells.map")
      const gone = { ...routing, sockets: [`${routing.mapFile}.socket`] }
      assert.include((yield* Effect.flip(checkRouting(gone))).message, ".socket")
    }))
})
