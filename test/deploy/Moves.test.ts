// `sextant account move` between two real cells behind HAProxy, with clients that ask and report meanwhile.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { lacking } from "../cluster/cells.ts"
import { ended, moveDrill, twoCells } from "../cluster/moves.ts"
import { onServer } from "../support/Databases.ts"
import { acmeKey, sendRequest } from "../support/Service.ts"

describe.skipIf(lacking !== null)("an account that is moved between cells", () => {
  it.live("keeps each acknowledged outcome once however often the move is killed, and its neighbours notice nothing", () =>
    Effect.gen(function*() {
      const { heard, kept, others } = yield* moveDrill({ moves: 2, clients: 4, kills: 2, seed: 7 })
      assert.deepStrictEqual(kept, { lost: [], forgotten: [], closed: [], twice: 0 })
      assert.isAbove(heard.acknowledged.size, 30)
      // Recommendations go on, and a report is refused for some seconds at most.
      const refused = [...heard.statuses.keys()].filter((kind) => !kind.endsWith(" 200"))
      assert.deepStrictEqual(refused.filter((kind) => kind !== "/v1/feedback 503"), [])
      assert.sameMembers([...others.keys()], ["/v1/recommend 200", "/v1/feedback 200"])
    }))

  it.live("stays where it was after --undo, and is whole when it is moved back", () =>
    Effect.gen(function*() {
      const { balancer: { baseUrl }, cells, killMove, move } = yield* twoCells
      const decisionsIn = (url: string) => Effect.map(
        onServer<{ readonly count: number }>(url, "select count(*)::int from decision where account_id = 'acme'"),
        ([row]) => row?.count
      )
      const ask = () => sendRequest({ baseUrl, key: acmeKey }, "/v1/recommend", { task: { task: "sum a list" } })
      assert.strictEqual((yield* ask()).status, 200)

      // Without a hook that ends, the account has left and is not there yet.
      const stuck = yield* move("--to", "cell_b", "--hook", "exit 3")
      assert.include(stuck.stderr, "The hook ended with 3")
      assert.include((yield* move("--to", "cell_b", "--undo")).stderr, "has left cell_a")
      yield* Effect.flatMap(move("--to", "cell_b"), ended)
      assert.strictEqual((yield* ask()).status, 200)
      yield* Effect.flatMap(move("--to", "cell_a"), ended)
      yield* Effect.flatMap(move("--to", "cell_a", "--confirm"), ended)
      assert.deepStrictEqual([yield* decisionsIn(cells.cell_a.url), yield* decisionsIn(cells.cell_b.url)], [2, 0])

      yield* killMove("is being copied", "--to", "cell_b")
      yield* move("--to", "cell_b", "--undo")
      assert.strictEqual((yield* ask()).status, 200)
      assert.deepStrictEqual([yield* decisionsIn(cells.cell_a.url), yield* decisionsIn(cells.cell_b.url)], [3, 0])
      assert.include((yield* move("--to", "cell_b", "--confirm")).stderr, "acme")
    }))
})
