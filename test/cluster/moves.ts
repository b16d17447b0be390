// Moves an account between two cells, over and over, while clients ask and report, and looks what was kept.
import { Effect, type Scope } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { generator } from "../../src/stats/Generator.ts"
import { temporaryDirectory } from "../support/Databases.ts"
import { acmeKey, ServiceFailed, sextant, spawnCommand, umbrellaKey } from "../support/Service.ts"
import { type Balancer, type Cell, startBalancer, startCell } from "./cells.ts"
import { acknowledgedMore, audit, type Heard, type Kept, nothingHeard, underLoad } from "./drill.ts"

/** Two cells, of which the first has the accounts acme and umbrella. */
export interface TwoCells {
  readonly cells: Readonly<Record<"cell_a" | "cell_b", Cell>>
  readonly balancer: Balancer
  /** Runs `sextant account move acme`, with these words. */
  readonly move: (...words: ReadonlyArray<string>) => ReturnType<typeof sextant>
  /** Begins it, and kills it with SIGKILL once it has said that, or after that time. */
  readonly killMove: (when: string | number, ...words: ReadonlyArray<string>) => Effect.Effect<void>
}

export const twoCells: Effect.Effect<TwoCells, unknown, Scope.Scope> = Effect.gen(function*() {
  const cell_a = yield* startCell([acmeKey, umbrellaKey])
  const cell_b = yield* startCell(["sxt_other_k1_other0123456789abcdef0123456789abcdef"])
  const map = new Map([["acme", "cell_a"], ["umbrella", "cell_a"]])
  const balancer = yield* startBalancer(map, cell_a.address, cell_b.address)
  const cells = { cell_a, cell_b }
  const file = join(yield* temporaryDirectory, "cells.json")
  writeFileSync(file, JSON.stringify(Object.fromEntries(
    Object.entries(cells).map(([name, { url }]) => [name, { DATABASE_URL: url }])
  )))
  const all = (words: ReadonlyArray<string>) =>
    ["account", "move", "acme", "--file", file, "--socket", balancer.socket, "--map-file", balancer.mapFile, ...words]
  return {
    cells, balancer,
    move: (...words) => sextant(all(words), {}),
    killMove: (when, ...words) =>
      Effect.scoped(Effect.gen(function*() {
        const { exitCode, kill, stdout } = yield* spawnCommand(
          process.execPath, ["src/cli/main.ts", ...all(words)], {}
        )
        const isSaid = Effect.repeat(Effect.delay(Effect.sync(() => stdout().includes(String(when))), 10), {
          until: (isSaid) => isSaid
        })
        yield* Effect.raceFirst(exitCode, typeof when === "number" ? Effect.sleep(when) : isSaid)
        yield* kill("SIGKILL")
        yield* exitCode
      }))
  }
})

export interface Moves {
  /** How long moves refused feedback that ran to their end at once, ms. */
  readonly frozenMs: ReadonlyArray<number>
  readonly heard: Heard
  readonly kept: Kept
  /** Answers to the account that stayed, by path and status. */
  readonly others: Heard["statuses"]
}

/** Fails with what a command has said, unless it ended well. */
export const ended = (finished: Effect.Success<ReturnType<typeof sextant>>) =>
  finished.code === 0
    ? Effect.succeed(finished.stdout)
    : Effect.fail(new ServiceFailed({ message: `${finished.stdout}\n${finished.stderr}` }))

export interface MoveOptions {
  readonly moves: number
  readonly clients: number
  /** Times that each move's command is killed before it is run to its end. */
  readonly kills: number
  readonly seed: number
  readonly onMove?: (move: number, frozenMs: number) => void
}

/** Within this time a killed command is at any of its steps, ms. */
const killedWithinMs = 7_000

/** Moves acme that often. Every second move begins without a copy in the other cell: the one before was confirmed. */
export const moveDrill = Effect.fnUntraced(function*({ clients, kills, moves, onMove, seed }: MoveOptions) {
  const { balancer, cells, killMove, move } = yield* twoCells
  const draw = generator(seed)
  const [heard, stayed] = [nothingHeard(), nothingHeard()]
  const proxy = { url: balancer.baseUrl }
  const frozenMs: Array<number> = []
  const moveAll = Effect.gen(function*() {
    yield* acknowledgedMore(heard, 20)
    for (let index = 0; index < moves; index++) {
      const to = index % 2 === 0 ? "cell_b" : "cell_a"
      for (let kill = 0; kill < kills; kill++) yield* killMove(draw() * killedWithinMs, "--to", to)
      const said = yield* Effect.flatMap(move("--to", to), ended)
      // Of one that was killed after it had left, nobody knows.
      const took = Math.round(Number(/refused for ([\d.]+) s/.exec(said)?.[1]) * 1_000)
      if (!Number.isNaN(took)) frozenMs.push(took)
      onMove?.(index, took)
      yield* acknowledgedMore(heard, 5)
      if (index % 2 === 1) yield* Effect.flatMap(move("--to", to, "--confirm"), ended)
    }
  })
  yield* underLoad(proxy, heard, clients, underLoad(proxy, stayed, 1, moveAll, [umbrellaKey]), [acmeKey], 1_000)
  const last = cells[moves % 2 === 0 ? "cell_a" : "cell_b"]
  // Of the account that stayed, the database that is audited may have rows: those of acme alone are looked at.
  const kept = yield* audit(last.url, proxy, heard, "one build", "acme")
  const result: Moves = { frozenMs, heard, kept, others: stayed.statuses }
  return result
})
