import { Effect } from "effect"
import { createServer, type RequestListener } from "node:http"

/** Starts a server on a free port of this machine; closing the scope also cuts off answers in flight. */
export const startHttpServer = (answer: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const server = createServer(answer)
      server.on("connection", (socket) => void socket.on("error", () => socket.destroy()))
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ port, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
