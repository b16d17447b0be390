import { Array as Arr, Clock, Logger } from "effect"

/** Lines of one message that are said within {@link windowMs}. Chosen: enough to see what it is about. */
const linesMax = 20
/** In milliseconds. Chosen: an outage still shows every few seconds that it goes on. */
const windowMs = 10_000
/** Messages that are told apart; ours are few, and those of a defect may be of any number. */
const messagesMax = 1_000

interface Window {
  readonly beganMs: number
  said: number
  unsaid: number
}

/**
 * A logger that says a message at most so often: an outage that every request meets must not fill the disk,
 * nor cost more than what the requests are for. The first line after says how many were left out. Messages
 * are told apart by their first part.
 */
export const withoutFloods = <Output>(
  logger: Logger.Logger<unknown, Output>
): Logger.Logger<unknown, Output | undefined> => {
  const windows = new Map<string, Window>()
  return Logger.make((options) => {
    const parts = Arr.ensure(options.message)
    const name = String(parts[0])
    const nowMs = Number(options.fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()) / 1e6
    const before = windows.get(name)
    if (before !== undefined && nowMs - before.beganMs < windowMs) {
      if (before.said === linesMax) {
        before.unsaid++
        return undefined
      }
      before.said++
      return logger.log(options)
    }
    if (windows.size >= messagesMax) windows.clear()
    windows.set(name, { beganMs: nowMs, said: 1, unsaid: 0 })
    const unsaid = before?.unsaid ?? 0
    const leftOut = unsaid === 0 ? [] : [`${unsaid} more like it were left out`]
    return logger.log({ ...options, message: [...parts, ...leftOut] })
  })
}
