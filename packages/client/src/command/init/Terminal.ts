/* Questions to the person at the terminal, on standard error: standard output is the command's result. */
import { createInterface } from "node:readline/promises"

/** The answer to a question; null once the input has ended or the person has interrupted. */
export const askAtTerminal = async (question: string): Promise<string | null> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // An end of the input closes the terminal, and then its question is never answered.
  const left = new Promise<null>((resolve) => terminal.once("close", () => resolve(null)))
  try {
    return await Promise.race([terminal.question(question), left])
  } finally {
    terminal.close()
  }
}
