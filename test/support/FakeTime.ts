import { Effect } from "effect"
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "./Databases.ts"

const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"

/** True if Debian's package `faketime` is installed, with which tests set clocks. */
export const hasFakeTime = existsSync(library)

/** A wall clock that `set` changes, for programs that are started with its environment. Their timers stay right. */
export const fakeClock = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  // A server runs as another user.
  chmodSync(directory, 0o755)
  const file = join(directory, "clock")
  const set = (offset: string) => Effect.sync(() => writeFileSync(file, `${offset}\n`))
  yield* set("+0")
  const environment = {
    LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: "1", FAKETIME_DONT_FAKE_MONOTONIC: "1"
  }
  return { environment, set }
})

/** The environment of a program whose clock is always that far off, such as `+450d`. */
export const alwaysOff = (offset: string) =>
  ({ LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: "1" })
