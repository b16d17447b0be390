import type { Vitest } from "@effect/vitest"
import { Effect, type Scope } from "effect"

/** Declares a test of a port, in a place that no other test has. */
export type ContractTest<Port, Place, R> = (
  title: string,
  test: (port: Port, place: Place) => Generator<Effect.Effect<unknown, unknown, R | Scope.Scope>, void>
) => void

/** The `it` of a contract. */
export const contractTest = <Port, Place, R>(
  { effect }: Vitest.MethodsNonLive<R>,
  port: Effect.Effect<Port, never, NoInfer<R>>,
  newPlace: () => Place
): ContractTest<Port, Place, R> =>
(title, test) =>
  effect(title, () =>
    Effect.gen(function*() {
      yield* test(yield* port, newPlace())
    }))
