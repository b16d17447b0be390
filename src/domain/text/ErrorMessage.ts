/* The message of an unknown thrown value, and its chain of causes. */

/** Most causes of an error that are followed, count. */
const depthMax = 8

/** An error and its causes, outermost first. */
export const causeChain = (error: unknown): ReadonlyArray<unknown> => {
  const chain = [error]
  let last = error
  while (chain.length < depthMax && last instanceof Error && last.cause !== undefined) {
    last = last.cause
    chain.push(last)
  }
  return chain
}

/** The message of an unknown thrown value: an error's own, else the value as text. */
export const messageOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** The error that stands for several without a message of their own: the first, as of a host's addresses. */
export const representativeOf = (error: unknown): unknown =>
  error instanceof AggregateError && error.message === "" ? error.errors[0] ?? error.name : error

/** A text without line breaks and repeated spaces. */
export const inOneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/**
 * The message of the innermost cause that has one, in one line: the errors around it say only that something
 * failed.
 */
export const rootMessageOf = (error: unknown): string => {
  const messages = causeChain(error).map((each) => messageOf(representativeOf(each)))
  return inOneLine(messages.findLast((text) => text !== "") ?? "no reason given")
}
