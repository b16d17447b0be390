import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { AccountId } from "../../src/domain/Scope.ts"
import { makeGroups } from "../../src/sql/Groups.ts"

const acme = AccountId.make("acme")

/** Groups of two, of which one with `bad` does that. */
const groups = (bad: Effect.Effect<ReadonlyArray<Exit.Exit<string>>>) =>
  makeGroups<string, string, never>({
    groupsMax: 2,
    begin: () => {
      let size = 0
      return () => size++ < 2
    },
    run: (_, items) => items.includes("bad") ? bad : Effect.succeed(items.map((item) => Exit.succeed(item)))
  })

/** The exits of calls that come in one turn. */
const together = (call: (accountId: AccountId, item: string) => Effect.Effect<string>, items: ReadonlyArray<string>) =>
  Effect.forEach(items, (item) => Effect.exit(call(acme, item)), { concurrency: "unbounded" }).pipe(
    Effect.timeout("5 seconds")
  )

describe("groups of an account's calls", () => {
  for (const [what, bad] of [
    ["dies", Effect.die("a fault")],
    ["dies slowly", Effect.andThen(Effect.sleep("40 millis"), Effect.die("a fault"))],
    ["answers too few of its calls", Effect.succeed([])]
  ] as const) {
    it.live(`of which one ${what}: its calls end, and those of others are answered`, () =>
      Effect.gen(function*() {
        const call = yield* groups(bad)
        for (let round = 0; round < 3; round++) {
          const exits = yield* together(call, ["bad", "a", "b", "c"])
          assert.deepStrictEqual(exits.map(Exit.isSuccess), [false, false, true, true])
        }
        assert.deepStrictEqual(yield* together(call, ["a"]), [Exit.succeed("a")])
      }))
  }
})

describe("the first group of an account", () => {
  /** Says how many calls each group has, and in which turn of the event loop after its call the last one began. */
  const beginnings = Effect.gen(function*() {
    let turn = 0
    const sizes: Array<number> = []
    let begunIn = -1
    const call = yield* makeGroups<string, string, never>({
      groupsMax: 1,
      begin: () => () => true,
      run: (_, items) => {
        begunIn = turn
        sizes.push(items.length)
        return Effect.as(Effect.sleep("5 millis"), items.map((item) => Exit.succeed(item)))
      }
    })
    const alone = Effect.suspend(() => {
      turn = 0
      setImmediate(() => turn++)
      return Effect.map(call(acme, "alone"), () => begunIn)
    })
    return { alone, several: together(call, ["a", "b", "c"]), sizes }
  })

  it.live("begins in its call's own turn after a lone call, and has all that come in it", () =>
    Effect.gen(function*() {
      const { alone, several, sizes } = yield* beginnings
      assert.deepStrictEqual([yield* alone, yield* alone], [0, 0])
      yield* several
      assert.deepStrictEqual(sizes, [1, 1, 3])
    }))

  it.live("waits a turn for others after a group of several", () =>
    Effect.gen(function*() {
      const { alone, several, sizes } = yield* beginnings
      yield* several
      assert.deepStrictEqual([yield* alone, yield* alone], [1, 0])
      assert.deepStrictEqual(sizes, [3, 1, 1])
    }))
})
