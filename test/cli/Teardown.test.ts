// How a process ends that a signal stops: the exit code, and what standard error says.
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Exit, Fiber, Layer } from "effect"
import { vi } from "vitest"
import { teardown } from "../../src/cli/Teardown.ts"

/** The exit code of a process, and the lines that it prints on standard error. */
const ended = (exit: Exit.Exit<unknown, unknown>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => vi.spyOn(console, "error").mockImplementation(() => {})),
    (printed) =>
      Effect.callback<{ readonly code: number; readonly lines: ReadonlyArray<string> }>((resume) =>
        teardown(exit, (code) => resume(Effect.succeed({ code, lines: printed.mock.calls.map(String) })))),
    (printed) => Effect.sync(() => printed.mockRestore())
  )

/** How a service ends that is interrupted while it runs, as SIGTERM does, when it stops with that finalizer. */
const stopped = (finalizer: Effect.Effect<void>) =>
  Effect.gen(function*() {
    const service = Layer.effectDiscard(Effect.addFinalizer(() => finalizer))
    const fiber = yield* Effect.forkChild(Layer.launch(service), { startImmediately: true })
    yield* Fiber.interrupt(fiber)
    return yield* ended(yield* Fiber.await(fiber))
  })

describe("a service that a signal stops", () => {
  it.effect("exits with 0 and prints nothing when its finalizers succeed", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* stopped(Effect.void), { code: 0, lines: [] })
    }))

  it.effect("exits with 1 and prints why when a finalizer fails", () =>
    Effect.gen(function*() {
      const { code, lines } = yield* stopped(Effect.die(new Error("the last spans could not be exported")))
      assert.strictEqual(code, 1)
      assert.match(lines.join("\n"), /the last spans could not be exported/)
    }))
})

describe("a command", () => {
  it.effect("exits with 1 and prints an expected failure in one line", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(Effect.fail(new Error("outer", { cause: new Error("inner") })))
      assert.deepStrictEqual(yield* ended(exit), { code: 1, lines: ["outer: inner"] })
    }))
})
