/* Asks the person at the terminal on standard error, because standard output has the command's result. */
import { createInterface } from "node:readline/promises"

/** The answer to a question; null after the input's end or an interrupt. */
export const askAtTerminal = async (question: string): Promise<string | null> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // The input's end closes the terminal, and its question is never answered.
  const left = new Promise<null>((resolve) => terminal.once("close", () => resolve(null)))
  try {
    return await Promise.race([terminal.question(question), left])
  } finally {
    terminal.close()
  }
}
