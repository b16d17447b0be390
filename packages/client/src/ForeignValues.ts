/* Reads foreign values safely: callbacks, getters, errors and headers. */

export const attempt = <A>(read: () => A, orElse: A): A => {
  try {
    return read()
  } catch {
    return orElse
  }
}

/** Returns the value if it is a valid id (1 to 256 well-formed UTF-16 units without NUL), else undefined. */
export const idOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^[^\0]{1,256}$/.test(value) && value.isWellFormed() ? value : undefined

/** Calls a callback of the caller in a later microtask, and ignores an error that the callback throws. */
export const notify = (call: () => unknown): void => {
  void Promise.resolve().then(call).catch(() => {
    // An error of the caller's callback must not harm the client.
  })
}

/** The wait of a `retry-after` header in seconds or by a date, ms >= 0; 0 without a readable header. */
export const waitMsOf = (retryAfter: unknown): number =>
  Math.max(Math.round(Number(retryAfter) * 1e3 || Date.parse(`${retryAfter}`) - Date.now()) || 0, 0)

/** Returns an error's message and its cause's, cut to 300 UTF-16 units; empty if reading them throws. */
export const textOf = (error: unknown): string =>
  attempt(() => {
    const { cause, message } = Object(error)
    return String(cause?.message ? `${message}: ${cause.message}` : message ?? error).slice(0, 300)
  }, "")
