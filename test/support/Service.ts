// Starts the service and its commands as processes of their own, and sends requests to them.
import { Data, Effect, Schema, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { program } from "./program.ts"

/** The repository, where the command line lives. */
const root = new URL("../..", import.meta.url).pathname

export const canary = "canary0123456789abcdef0123456789abcdef"
/** The key of the account that most tests call as. */
export const acmeKey = `sxt_acme_k1_${canary}`
/** A key of another account. */
export const umbrellaKey = `sxt_umbrella_k1_${canary}`

export class ServiceFailed extends Data.TaggedError("ServiceFailed")<{ readonly message: string }> {}

export interface Process {
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Waits for the end; null after a signal that was not handled. */
  readonly exitCode: Effect.Effect<number | null>
}

type Environment = Readonly<Record<string, string>>

/** The environment of a child process: variables that any program needs, and those of the test. */
const childEnvironment = (given: Environment): Environment => ({
  PATH: process.env["PATH"] ?? "",
  HOME: process.env["HOME"] ?? "",
  // Set by globalSetup.ts.
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
  SEXTANT_CATALOG_REFRESH: "off",
  ...given
})

const exited = (child: ChildProcess) =>
  Effect.callback<number | null>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.succeed(child.exitCode))
    const onClose = (code: number | null) => resume(Effect.succeed(code))
    child.once("close", onClose)
    return Effect.sync(() => child.off("close", onClose))
  })

/** Spawns a command in this checkout or another; it is killed when the scope closes. */
export const spawnCommand = (
  command: string,
  args: ReadonlyArray<string>,
  environment: Environment,
  directory = root
): Effect.Effect<Process & { readonly child: ChildProcess }, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(command, args, { cwd: directory, env: childEnvironment(environment), stdio: ["ignore", "pipe", "pipe"] })
      const said = { stdout: "", stderr: "" }
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => said.stdout += chunk)
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => said.stderr += chunk)
      return {
        child,
        // 0 for a program that could not be started.
        pid: child.pid ?? 0,
        stdout: () => said.stdout,
        stderr: () => said.stderr,
        kill: (signal: NodeJS.Signals) => Effect.sync(() => void child.kill(signal)),
        exitCode: exited(child)
      }
    }),
    ({ child, exitCode }) => Effect.andThen(Effect.sync(() => child.kill("SIGKILL")), exitCode)
  )

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command to its end; yields its exit code and what it printed. */
export const runToEnd = (
  command: string,
  args: ReadonlyArray<string>,
  environment: Environment,
  directory?: string
) =>
  Effect.scoped(Effect.gen(function*(): Effect.fn.Return<Finished, ServiceFailed, Scope.Scope> {
    const { exitCode, stderr, stdout } = yield* spawnCommand(command, args, environment, directory)
    const code = yield* exitCode.pipe(Effect.timeoutOrElse({
      duration: "160 seconds",
      orElse: () => new ServiceFailed({ message: `${args.join(" ")} did not end:\n${stdout()}\n${stderr()}` })
    }))
    return { code, stdout: stdout(), stderr: stderr() }
  }))

/** Runs `sextant <args>` to its end. */
export const sextant = (args: ReadonlyArray<string>, environment: Environment) =>
  runToEnd(process.execPath, [program, ...args], environment)

export interface Service extends Process {
  readonly baseUrl: string
  /** The account key that {@link requestJson} sends. */
  readonly key: string
}

const readyLine = /^Sextant (?:memory )?is ready at (http:\/\/\S+)(?: \(docs.*)?$/m

/** Waits until the process prints its URL; fails with its output if it ends before. */
export const awaitReady = ({ child, stderr, stdout }: Process & { readonly child: ChildProcess }) =>
  Effect.callback<string, ServiceFailed>((resume) => {
    const check = () => {
      const [, url] = readyLine.exec(stdout()) ?? []
      if (url !== undefined) resume(Effect.succeed(url))
    }
    const onClose = (code: number | null) =>
      resume(new ServiceFailed({ message: `The service ended with code ${code}:\n${stdout()}\n${stderr()}` }))
    child.stdout?.on("data", check)
    child.once("close", onClose)
    return Effect.sync(() => {
      child.stdout?.off("data", check)
      child.off("close", onClose)
    })
  }).pipe(Effect.timeoutOrElse({
    duration: "60 seconds",
    orElse: () => new ServiceFailed({ message: `The service is not ready after 60 s:\n${stdout()}\n${stderr()}` })
  }))

/** Starts a command that serves, on a free port; it accepts both keys unless `environment` has others. */
const started = Effect.fnUntraced(function*(
  command: string,
  environment: Environment,
  file = program
): Effect.fn.Return<Service, ServiceFailed, Scope.Scope> {
  const { child, ...rest } = yield* spawnCommand(process.execPath, [file, command], {
    PORT: "0",
    SEXTANT_BOOTSTRAP_KEYS: `${acmeKey},${umbrellaKey}`,
    ...environment
  })
  return { ...rest, baseUrl: yield* awaitReady({ child, ...rest }), key: acmeKey }
})

/** Starts the service in its own process, from `file` if it is given. */
export const startService = (environment: Environment, file?: string) =>
  // A machine that runs many suites at once must not turn into recall timeouts.
  started("serve", { SEXTANT_RECALL_TIMEOUT_MS: "10000", ...environment }, file)

/** Starts `sextant memory` in its own process. */
export const startMemory = (environment: Environment) => started("memory", environment)

/**
 * Waits until the service's log has a line with this text, and fails after 10 s. A process writes its log and its
 * answers separately, so a line may arrive after a later answer.
 */
export const awaitLog = ({ stderr }: Process, text: string | RegExp) =>
  Effect.gen(function*() {
    const isThere = () => typeof text === "string" ? stderr().includes(text) : text.test(stderr())
    for (let tries = 0; tries < 200 && !isThere(); tries++) yield* Effect.sleep("50 millis")
    if (!isThere()) yield* new ServiceFailed({ message: `The log never said ${text}:\n${stderr()}` })
  })

/** Stops a service with SIGTERM, and yields its exit code; fails when the stop takes longer than 10 s. */
export const stopService = ({ exitCode, kill, stderr }: Service) =>
  Effect.andThen(kill("SIGTERM"), exitCode).pipe(Effect.timeoutOrElse({
    duration: "10 seconds",
    orElse: () => new ServiceFailed({ message: `The service did not stop within 10 s:\n${stderr()}` })
  }))

/**
 * There was no complete answer. If `truncated` is true, an answer had begun; else the connection was refused or closed.
 */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{
  readonly truncated: boolean
  readonly cause: unknown
}> {}

export interface Answer {
  readonly status: number
  readonly text: string
}

/** Sends one request, and reads its answer to the end: POST with a body, GET without. */
export const sendRequest = (
  { baseUrl, key }: Pick<Service, "baseUrl" | "key">,
  path: string,
  body?: unknown
): Effect.Effect<Answer, NoAnswer> =>
  Effect.gen(function*() {
    const response = yield* Effect.tryPromise({
      try: (signal) =>
        fetch(`${baseUrl}${path}`, {
          signal,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
        }),
      catch: (cause) => new NoAnswer({ truncated: false, cause })
    })
    const text = yield* Effect.tryPromise({
      try: () => response.text(),
      catch: (cause) => new NoAnswer({ truncated: true, cause })
    })
    return { status: response.status, text }
  }).pipe(Effect.timeoutOrElse({
    duration: "30 seconds",
    orElse: () => Effect.fail(new NoAnswer({ truncated: false, cause: "no answer within 30 s" }))
  }))

/** Sends a request, and decodes an answer with 200 as `schema`. Any other status is a failure that shows the body. */
export const requestJson = <A, I>(
  schema: Schema.Codec<A, I>,
  service: Pick<Service, "baseUrl" | "key">,
  path: string,
  body?: unknown
): Effect.Effect<A, NoAnswer | ServiceFailed | Schema.SchemaError> =>
  Effect.gen(function*() {
    const { status, text } = yield* sendRequest(service, path, body)
    if (status !== 200) return yield* new ServiceFailed({ message: `${path} answered ${status}: ${text}` })
    return yield* Schema.decodeEffect(Schema.fromJsonString(schema))(text)
  })
