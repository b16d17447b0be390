/* Messages of thrown values and of their causes. */

/** Maximum number of causes that are followed. */
const depthMax = 8

/** Returns an error and its causes, from the outermost to the innermost. */
export const causeChain = (error: unknown): ReadonlyArray<unknown> => {
  const chain = [error]
  let last = error
  while (chain.length < depthMax && last instanceof Error && last.cause !== undefined) {
    last = last.cause
    chain.push(last)
  }
  return chain
}

/** Returns the message of an error; any other value is written as text. */
export const messageOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** Returns the first error in an `AggregateError` without a message, and any other error itself. */
export const representativeOf = (error: unknown): unknown =>
  error instanceof AggregateError && error.message === "" ? error.errors[0] ?? error.name : error

export const inOneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/** Returns the innermost message, because outer errors only say that something failed. */
export const rootMessageOf = (error: unknown): string => {
  const messages = causeChain(error).map((each) => messageOf(representativeOf(each)))
  return inOneLine(messages.findLast((text) => text !== "") ?? "no reason given")
}
