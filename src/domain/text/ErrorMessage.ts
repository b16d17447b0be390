/* Messages of thrown values and of their causes. */

const depthMax = 8

/** Returns an error and its causes, at most {@link depthMax}, the outermost first. */
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

/** Returns the innermost message that is not empty, because outer errors often say little. */
export const rootMessageOf = (error: unknown): string => {
  const messages = causeChain(error).map((each) => messageOf(representativeOf(each)))
  return inOneLine(messages.findLast((text) => text !== "") ?? "no reason given")
}
