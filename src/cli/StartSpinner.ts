/* Shows a turning sign during each step of a start, and then its time; without a terminal, logs. */
import { Effect, Exit, Layer } from "effect"
import { StartSteps } from "../telemetry/StartSteps.ts"

interface Terminal {
  readonly isTTY?: boolean
  readonly write: (text: string) => unknown
}

const signs = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const

/** Pause between two signs, ms. */
const turnMs = 100

const clear = "\r\u001b[K"

interface Spinner {
  /** Returns the function that ends the step and prints its time. */
  readonly begin: (what: string) => (isDone: boolean) => void
  /** Clears the turning sign before another line is written; the spinner's next turn draws the sign again. */
  readonly yieldLine: () => void
}

export const makeSpinner = (terminal: Terminal): Spinner => {
  // Of the open steps, the step that began last is drawn.
  const open: Array<{ readonly what: string; readonly beganMs: number }> = []
  let timer: NodeJS.Timeout | null = null
  let turn = 0
  const draw = (): void => {
    const last = open.at(-1)
    if (last !== undefined) terminal.write(`${clear}${signs[turn++ % signs.length]} ${last.what}`)
  }
  return {
    begin: (what) => {
      const step = { what, beganMs: performance.now() }
      open.push(step)
      timer ??= setInterval(draw, turnMs).unref()
      draw()
      return (isDone) => {
        const seconds = ((performance.now() - step.beganMs) / 1_000).toFixed(1)
        open.splice(open.indexOf(step), 1)
        terminal.write(`${clear}${isDone ? "✓" : "✗"} ${what} (${seconds} s)\n`)
        if (open.length > 0 || timer === null) return
        clearInterval(timer)
        timer = null
      }
    },
    yieldLine: () => {
      if (open.length > 0) terminal.write(clear)
    }
  }
}

/** The spinner of this process's terminal; null if standard error cannot overwrite a line. */
const spinner: Spinner | null = process.stderr.isTTY && process.env["TERM"] !== "dumb"
  ? makeSpinner(process.stderr)
  : null

export const beforeLine = (): void => spinner?.yieldLine()

export const layer: Layer.Layer<never> = spinner === null ? Layer.empty : Layer.succeed(StartSteps, {
  during: (what, work) =>
    Effect.acquireUseRelease(
      Effect.sync(() => spinner.begin(what)),
      () => work,
      (end, exit) => Effect.sync(() => end(Exit.isSuccess(exit)))
    )
})
