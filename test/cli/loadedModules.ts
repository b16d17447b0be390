/* Preloaded into a program: writes the URL of each module that it loads to standard error. */
import { writeSync } from "node:fs"
import { registerHooks } from "node:module"

registerHooks({
  load: (url, context, next) => {
    writeSync(2, `loaded ${url}\n`)
    return next(url, context)
  }
})
