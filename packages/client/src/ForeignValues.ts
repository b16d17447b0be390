/* Reads foreign values safely: callbacks, getters, errors and headers. Their failures harm nothing. */

/** The result of `read`, or `orElse` if it throws. */
export const attempt = <A>(read: () => A, orElse: A): A => {
  try {
    return read()
  } catch {
    // A foreign function failed, so its value counts as unknown.
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

/** The wait of a `retry-after` header (seconds or a date), in ms >= 0; 0 without the header. */
export const waitMsOf = (retryAfter: unknown): number =>
  Math.max(Math.round(Number(retryAfter) * 1e3 || Date.parse(`${retryAfter}`) - Date.now()) || 0, 0)

/** An error's message, at most 300 characters; empty if it cannot be read. */
export const textOf = (error: unknown): string =>
  attempt(() => {
    const { cause, message } = Object(error)
    return String(cause?.message ? `${message}: ${cause.message}` : message ?? error).slice(0, 300)
  }, "")
