/* `sextant account move`: moves an account to another cell while it is used. */
import { ConfigProvider, Console, Context, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../domain/Scope.ts"
import { confirmMove, undoMove } from "../../privacy/move/EndMove.ts"
import { moveAccount } from "../../privacy/move/MoveAccount.ts"
import { moveSettings } from "../../privacy/move/MoveSettings.ts"
import { holdMove, readState, servesAccount, type Side } from "../../privacy/move/MoveState.ts"
import { type CellVariables, cellsFile, cellsIn, withoutOurs } from "../CellsFile.ts"
import { AppConfig } from "../Config.ts"
import { refusal } from "../Refusal.ts"
import { checkRouting, type Routing, routeTo } from "../Routing.ts"
import { storage } from "../Storage.ts"
import { instanceName, listOf, switchFlag, textFlag } from "./Flags.ts"

/** A cell by its name, with its configuration and connections to its database. */
interface Cell extends Side {
  readonly config: AppConfig
}

const connect = (config: AppConfig) =>
  Effect.map(Layer.build(storage(config, "require")), Context.get(SqlClient.SqlClient))

const open = Effect.fnUntraced(function*(file: string, cells: CellVariables, cell: string) {
  const variables = cells[cell]
  if (variables === undefined) return yield* refusal(`${file} has no cell ${cell}`)
  const config = yield* AppConfig.pipe(Effect.provideService(
    ConfigProvider.ConfigProvider,
    ConfigProvider.fromEnvRecord({ ...process.env, ...withoutOurs(), ...variables })
  ))
  if (Option.isNone(config.databaseUrl)) return yield* refusal(`${cell} has no DATABASE_URL`)
  const opened: Cell = { cell, config, sql: yield* connect(config) }
  return opened
})

/** The cell that an account leaves: the one that its move names, else the only other one that serves it. */
const findFrom = Effect.fnUntraced(function*(
  file: string,
  cells: CellVariables,
  to: Cell,
  accountId: AccountId
) {
  const state = yield* readState(to, accountId)
  if (state !== null) return state.peer
  const others = Object.keys(cells).filter((cell) => cell !== to.cell)
  const found = yield* Effect.filter(others, (cell) =>
    open(file, cells, cell).pipe(
      Effect.flatMap((each) => servesAccount(each, accountId)),
      Effect.scoped,
      // It may be the one that has the account.
      Effect.catchTag("DatabaseUnavailable", (error) =>
        refusal(`${cell} does not answer: say which cell ${accountId} leaves with --from`, error))
    ))
  const [from] = found
  if (from === undefined || found.length > 1) {
    const where = found.length === 0 ? "no other cell has" : `${found.join(" and ")} have`
    return yield* refusal(`${where} ${accountId}: say which one it leaves with --from`)
  }
  return from
})

/** How long a recommendation may take whose request is under way, or waits in the balancer, ms. */
const drainMsOf = ({ config: { reasoner, reasonerTimeoutMs, recallTimeoutMs } }: Cell): number =>
  moveSettings.balancerHoldMs + recallTimeoutMs + (Option.isSome(reasoner) ? reasonerTimeoutMs : 0) + 500

const routingOf = Effect.fnUntraced(function*(
  hook: Option.Option<string>,
  socket: Option.Option<string>,
  mapFile: Option.Option<string>
) {
  if (Option.isSome(hook)) return { kind: "hook", command: hook.value } satisfies Routing
  if (Option.isNone(socket) || Option.isNone(mapFile)) {
    return yield* refusal("Say how the balancer's map is changed: --socket and --map-file, or --hook")
  }
  return { kind: "haproxy", sockets: listOf(socket.value), mapFile: mapFile.value } satisfies Routing
})

const secondsOf = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`

export const accountMove = Command.make(
  "move",
  {
    account: Argument.String("ACCOUNT").pipe(
      Argument.withDescription("The instance of the account's keys"),
      Argument.withSchema(instanceName)
    ),
    from: textFlag("from", "The cell that it leaves, where more than one has the account"),
    to: Flag.String("to").pipe(Flag.withDescription("The cell that it moves to")),
    file: cellsFile,
    socket: textFlag("socket", "Runtime sockets of HAProxy, separated by commas"),
    mapFile: textFlag("map-file", "HAProxy's map, whose line is changed too: it is read at a reload"),
    hook: textFlag("hook", "A command that changes the map instead, with {account} and {cell}"),
    freezeSeconds: Flag.Int("freeze-seconds").pipe(
      Flag.withDescription("Longest time that feedback is refused before the account leaves its cell"),
      Flag.withDefault(moveSettings.freezeMs / 1_000)
    ),
    isConfirmed: switchFlag("confirm", "Erase the account in the cell that it has left"),
    isUndone: switchFlag("undo", "Give up a move that has not left; later, move the account back instead")
  },
  ({ account, file, freezeSeconds, from: given, hook, isConfirmed, isUndone, mapFile, socket, to: name }) =>
    Effect.gen(function*() {
      const cells = yield* cellsIn(file)
      const routing = isConfirmed || isUndone ? null : yield* routingOf(hook, socket, mapFile)
      const to = yield* open(file, cells, name)
      const accountId = AccountId.make(account)
      const from = yield* open(file, cells, Option.isSome(given)
        ? given.value
        : yield* findFrom(file, cells, to, accountId))
      if (from.cell === to.cell) return yield* refusal(`${account} cannot be moved from ${name} to itself`)
      if (!(yield* holdMove([from, to], accountId))) {
        return yield* refusal(`another process moves ${account} now`)
      }
      if (isConfirmed) {
        yield* confirmMove({ accountId, from, to })
        return yield* Console.log(`${account} was erased in ${from.cell}; ${name} serves it`)
      }
      if (routing === null) {
        yield* undoMove({ accountId, from, to })
        return yield* Console.log(`${account} stays in ${from.cell}`)
      }
      const memories = [from, to].map(({ config }) => Option.getOrUndefined(config.memoryUrl)?.href)
      if (memories[0] !== memories[1]) {
        return yield* refusal(`${from.cell} and ${name} have different external memories`)
      }
      yield* checkRouting(routing)
      const services = yield* Effect.context<ChildProcessSpawner>()
      const { frozenMs, sums } = yield* moveAccount({
        accountId, from, to,
        reader: { ...from, sql: yield* connect(from.config) },
        route: Effect.provide(routeTo(routing, account, name), services),
        freezeMs: freezeSeconds * 1_000,
        drainMs: drainMsOf(from),
        say: Console.log
      })
      for (const [table, { rows, sum }] of Object.entries(sums)) {
        yield* Console.log(`${table}\t${rows} rows\t${sum ?? "counted"}`)
      }
      if (frozenMs !== null) yield* Console.log(`feedback was refused for ${secondsOf(frozenMs)}`)
    }).pipe(Effect.scoped)
).pipe(Command.withDescription("Move an account to another cell while it is used"))
