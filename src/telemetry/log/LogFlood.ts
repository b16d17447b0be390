/** Limits how often the same message is logged. */
import { Array as Arr, Clock, Logger } from "effect"

/** Maximum number of lines of one message within {@link windowMs}. Chosen. */
const linesMax = 20
/** Time for which lines of the same message are counted, ms. Chosen. */
const windowMs = 10_000
/** Maximum number of counted messages, because a defect may log ever new messages. */
const messagesMax = 1_000

interface Window {
  readonly beganMs: number
  said: number
  unsaid: number
}

/**
 * Limits how often a message is logged, because an outage that every request meets must not fill the disk.
 * A message's first line after a window gives the number of its lines that were left out, if any. Lines have
 * the same message if the first value of each is the same text.
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
