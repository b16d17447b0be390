import { Effect } from "effect"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"

/** Reads the body of a request or an answer. */
export const bodyOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/**
 * Starts a server on a free port of this machine, or on the given one. When the scope closes, it cuts off unfinished
 * answers.
 */
export const startHttpServer = (answer: RequestListener, onPort = 0) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const server = createServer(answer)
      server.on("connection", (socket) => void socket.on("error", () => socket.destroy()))
      server.listen(onPort, "127.0.0.1", () => {
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
