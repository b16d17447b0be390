/* Asks the person at the terminal on standard error, because standard output has the command's result. */
import { createInterface } from "node:readline/promises"

/** Asks a question and returns the answer; null if the input ends or the person interrupts. */
export const askAtTerminal = async (question: string): Promise<string | null> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // When the input ends, the terminal closes and the promise of `question` never settles.
  const left = new Promise<null>((resolve) => terminal.once("close", () => resolve(null)))
  try {
    return await Promise.race([terminal.question(question), left])
  } finally {
    terminal.close()
  }
}
