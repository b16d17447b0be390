/* Preloaded into a program: adds the URL of each module that it loads to the file that SEXTANT_LOADED_FILE names. */
import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"

const file = process.env["SEXTANT_LOADED_FILE"] ?? ""

registerHooks({
  load: (url, context, next) => {
    // Not to standard error: a pipe whose reader is slow refuses what it cannot hold, and the program would end.
    appendFileSync(file, `${url}\n`)
    return next(url, context)
  }
})
