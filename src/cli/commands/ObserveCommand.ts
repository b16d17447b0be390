/* `sextant observe`: listens on OpenTelemetry's default port, and forwards telemetry to a service. */
import { Console, Effect, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { createServer } from "node:http"
import { forwardTo, type Service } from "../observe/Forward.ts"
import { refusal } from "../Refusal.ts"
import { serviceKey, serviceUrl } from "./Flags.ts"

const defaultPort = 4318

/** Listens for requests from this machine alone, until the scope ends. */
const listen = (port: number, service: Service) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>, ReturnType<typeof refusal>>((resume) => {
      const server = createServer(forwardTo(service))
      server.once("error", (error) => resume(Effect.fail(refusal(`Cannot listen on port ${port}`, error))))
      server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void server.close().closeAllConnections())
  )

export const observe = Command.make(
  "observe",
  {
    port: Flag.Int("port").pipe(
      Flag.withDescription("The port on this machine that exporters send to"),
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 }))),
      Flag.withDefault(defaultPort)
    )
  },
  ({ port }) =>
    Effect.gen(function*() {
      const baseUrl = yield* serviceUrl
      const key = yield* serviceKey
      if (!URL.canParse(baseUrl)) return yield* refusal("SEXTANT_URL is not an address")
      const address = baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")
      yield* listen(port, { baseUrl: address, key: Redacted.value(key) })
      yield* Console.log(`Telemetry to http://127.0.0.1:${port} goes to ${address}`)
      return yield* Effect.never
    }).pipe(Effect.scoped)
)
