/* `sextant-client mcp`: runs the server on standard input and output until the input ends. */
import { once } from "node:events"
import { connectionOf } from "../Service.ts"
import { createTasks } from "./Attempts.ts"
import { createRemembered } from "./Explain.ts"
import { hookTool, prepareHooks } from "./HookTool.ts"
import { linesOf } from "./Lines.ts"
import { createServer } from "./Server.ts"
import { createTools } from "./Tools.ts"

const lineBytesMax = 4 * 1_024 * 1_024

const instructions = "Sextant recommends which language model should run a task, and learns from outcomes. "
  + "Before you start a sub-task on a model of your choice, call recommend_model; after it, report_outcome. "
  + "When a check of the result failed, next_attempt names the model that tries next. None of them is ever "
  + "needed to go on: when a tool fails, run your default model. Only when it says that the budget is used "
  + "up, run none."

/** Serves requests until the input and all calls have ended. */
export const serveMcp = async (version: string): Promise<void> => {
  const connection = connectionOf(process.env)
  // Without settings the server still runs, and each tool's answer tells the agent the reason.
  if (typeof connection === "string") console.error(`sextant-client mcp: ${connection}`)
  const server = createServer({
    tools: createTools(connection, { remembered: createRemembered(), tasks: createTasks() }),
    unlisted: [hookTool],
    version,
    instructions,
    send: (message) => void process.stdout.write(`${message}\n`)
  })
  await prepareHooks()
  for await (const line of linesOf(process.stdin, lineBytesMax)) {
    // Input waits while the agent's program reads no answers, because unread answers would fill the memory.
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain")
    server.receive(line)
  }
  await server.idle()
}
