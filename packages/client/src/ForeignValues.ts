/* Reads foreign values safely: callbacks, getters, errors and headers. Their failures harm nothing. */

/** Returns the result of `read`, or `orElse` if `read` throws. */
export const attempt = <A>(read: () => A, orElse: A): A => {
  try {
    return read()
  } catch {
    return orElse
  }
}

/** A value if the service takes it as an id: at most 256 UTF-16 units, without a null character. */
export const idOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^[^\0]{1,256}$/.test(value) && value.isWellFormed() ? value : undefined

/** Calls a callback after the present work. Its errors and rejections are ignored. */
export const notify = (call: () => unknown): void => {
  void Promise.resolve().then(call).catch(() => {
    // The caller's own callback failed.
  })
}

/**
 * The wait that a `retry-after` header asks for in seconds or by a date, in ms >= 0; 0 without the header.
 */
export const waitMsOf = (retryAfter: unknown): number =>
  Math.max(Math.round(Number(retryAfter) * 1e3 || Date.parse(`${retryAfter}`) - Date.now()) || 0, 0)

/** An error's message with at most 300 characters; empty if it cannot be read. */
export const textOf = (error: unknown): string =>
  attempt(() => {
    const { cause, message } = Object(error)
    return String(cause?.message ? `${message}: ${cause.message}` : message ?? error).slice(0, 300)
  }, "")
