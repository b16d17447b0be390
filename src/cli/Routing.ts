/* Changes to which cell a balancer sends an account's requests. */
import { Effect, Schedule, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { accessSync, constants, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createConnection } from "node:net"
import { basename, dirname } from "node:path"
import { messageOf } from "../domain/text/ErrorMessage.ts"
import { refusal } from "./Refusal.ts"

/** How the map of cells is changed: in its file and over HAProxy's sockets, or by a command of the site. */
export type Routing =
  | { readonly kind: "haproxy"; readonly mapFile: string; readonly sockets: ReadonlyArray<string> }
  | { readonly kind: "hook"; readonly command: string }

/** The map with the account's line, in place of the one that it has. */
export const mapWith = (map: string, account: string, cell: string): string => {
  const lines = map.split("\n").filter((line) => line.trim().split(/\s+/)[0] !== account)
  return [...lines.slice(0, lines.at(-1) === "" ? -1 : undefined), `${account} ${cell}`, ""].join("\n")
}

const attempt = <A>(mapFile: string, change: () => A) =>
  Effect.try({
    try: change,
    catch: (cause) => refusal(`${mapFile} cannot be changed: ${messageOf(cause)}`, cause)
  })

/**
 * Keeps other processes from changing the file: of two that read it at once, one would lose its line. A
 * change takes a moment: a lock that stays was left by a process that was killed, and is taken over.
 */
const lockFile = (mapFile: string) =>
  Effect.acquireRelease(
    attempt(mapFile, () => writeFileSync(`${mapFile}.lock`, "", { flag: "wx" })).pipe(
      Effect.retry({ times: 20, schedule: Schedule.spaced("100 millis") }),
      Effect.catch(() => attempt(mapFile, () => writeFileSync(`${mapFile}.lock`, "")))
    ),
    () => Effect.sync(() => rmSync(`${mapFile}.lock`, { force: true }))
  )

/** In place: a file that is mounted alone into a container would else stay as it was there. */
const changeFile = Effect.fnUntraced(function*(mapFile: string, account: string, cell: string) {
  yield* lockFile(mapFile)
  yield* attempt(mapFile, () => writeFileSync(mapFile, mapWith(readFileSync(mapFile, "utf8"), account, cell)))
}, Effect.scoped)

/** What HAProxy answers to a command; empty where it has done it. */
export const ask = (socket: string, command: string) =>
  Effect.callback<string, ReturnType<typeof refusal>>((resume) => {
    let said = ""
    createConnection(socket).setEncoding("utf8")
      .on("data", (chunk) => said += String(chunk))
      .on("error", (cause) => resume(Effect.fail(refusal(`${socket}: ${messageOf(cause)}`, cause))))
      .on("end", () => resume(Effect.succeed(said.trim())))
      .end(`${command}\n`)
  }).pipe(Effect.timeoutOrElse({
    duration: "5 seconds",
    orElse: () => Effect.fail(refusal(`HAProxy does not answer at ${socket}`))
  }))

/** Changes the line of a running HAProxy, or adds it. */
const changeRunning = Effect.fnUntraced(function*(
  socket: string,
  map: string,
  account: string,
  cell: string
) {
  if ((yield* ask(socket, `set map ${map} ${account} ${cell}`)) === "") return
  const said = yield* ask(socket, `add map ${map} ${account} ${cell}`)
  if (said !== "") return yield* refusal(`HAProxy at ${socket} does not change ${map}: ${said}`)
})

const runHook = Effect.fnUntraced(function*(command: string, account: string, cell: string) {
  const filled = command.replaceAll("{account}", account).replaceAll("{cell}", cell)
  const child = yield* ChildProcess.make("sh", ["-c", filled], { extendEnv: true })
  const said = yield* Stream.mkString(Stream.decodeText(child.all))
  const code = yield* child.exitCode
  if (Number(code) !== 0) return yield* refusal(`The hook ended with ${code}: ${said.trim()}`)
}, Effect.scoped)

/** Fails where the map cannot be changed, as far as can be known before; of a hook nothing can. */
export const checkRouting = Effect.fnUntraced(function*(routing: Routing) {
  if (routing.kind === "hook") return
  const { mapFile, sockets } = routing
  yield* attempt(mapFile, () => {
    accessSync(mapFile, constants.R_OK | constants.W_OK)
    accessSync(dirname(mapFile), constants.W_OK)
  })
  yield* Effect.forEach(sockets, Effect.fnUntraced(function*(socket) {
    const map = basename(mapFile)
    if (!(yield* ask(socket, "show map")).includes(`(${map})`)) {
      return yield* refusal(`HAProxy at ${socket} has no map ${map}`)
    }
  }), { discard: true })
})

/** Sends the account's requests to the cell from now on. */
export const routeTo = Effect.fnUntraced(function*(routing: Routing, account: string, cell: string) {
  if (routing.kind === "hook") return yield* runHook(routing.command, account, cell)
  const { mapFile, sockets } = routing
  yield* changeFile(mapFile, account, cell)
  yield* Effect.forEach(sockets, (socket) => changeRunning(socket, basename(mapFile), account, cell), {
    discard: true
  })
})
