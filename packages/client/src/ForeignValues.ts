/* Reads what is foreign: callbacks and getters whose failure harms nothing, errors, and headers. */

/** What `read` yields, or `orElse` if it throws. */
export const attempt = <A>(read: () => A, orElse: A): A => {
  try {
    return read()
  } catch {
    // The failure is that of a foreign function; what it was asked for counts as not known.
    return orElse
  }
}

/** A value that the service reads as an id, of which it reads at most 256 UTF-16 units. */
export const idOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^[^\0]{1,256}$/.test(value) && value.isWellFormed() ? value : undefined

/** Calls a callback after the work at hand; neither its error nor its rejection goes anywhere. */
export const notify = (call: () => unknown): void => {
  void Promise.resolve().then(call).catch(() => {
    // The callback is the caller's, and so is its failure.
  })
}

/** What a `retry-after` asks for, in seconds or as a date, in ms >= 0; 0 without one. */
export const waitMsOf = (retryAfter: unknown): number =>
  Math.max(Math.round(Number(retryAfter) * 1e3 || Date.parse(`${retryAfter}`) - Date.now()) || 0, 0)

/** What an error says, at most 300 characters; empty for one that cannot be read. */
export const textOf = (error: unknown): string =>
  attempt(() => {
    const { cause, message } = Object(error)
    return String(cause?.message ? `${message}: ${cause.message}` : message ?? error).slice(0, 300)
  }, "")
