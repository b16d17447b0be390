/** Limits how often one message is logged. */
import { Array as Arr, Clock, Logger } from "effect"

/** Most lines of one message within {@link windowMs}, count. Chosen: enough lines to understand a problem. */
const linesMax = 20
/** Length of a window, in milliseconds. Chosen: a lasting outage is still logged every few seconds. */
const windowMs = 10_000
/** Most messages that are counted, count. The service has few, but a defect may produce any number. */
const messagesMax = 1_000

interface Window {
  readonly beganMs: number
  said: number
  unsaid: number
}

/**
 * A logger that limits how often each message is written. An outage that every request meets must not fill
 * the disk. The first line after a window gives the number of omitted lines. Two lines have the same message
 * if their first parts are equal.
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
