/* Messages of thrown values and of their causes. */

/** Most causes that are followed, count. */
const depthMax = 8

/** Returns an error and its causes, outermost first. */
export const causeChain = (error: unknown): ReadonlyArray<unknown> => {
  const chain = [error]
  let last = error
  while (chain.length < depthMax && last instanceof Error && last.cause !== undefined) {
    last = last.cause
    chain.push(last)
  }
  return chain
}

/** Returns an error's message, or any other value as text. */
export const messageOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** Returns the first of several errors without a common message, such as those of a host's addresses. */
export const representativeOf = (error: unknown): unknown =>
  error instanceof AggregateError && error.message === "" ? error.errors[0] ?? error.name : error

/** Returns a text without line breaks and repeated spaces. */
export const inOneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/**
 * Returns the message of the innermost cause that has one, in one line. Outer errors only say that something
 * failed.
 */
export const rootMessageOf = (error: unknown): string => {
  const messages = causeChain(error).map((each) => messageOf(representativeOf(each)))
  return inOneLine(messages.findLast((text) => text !== "") ?? "no reason given")
}
