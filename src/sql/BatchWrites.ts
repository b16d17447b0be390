import { type Array as Arr, Effect, Exit, Request, RequestResolver } from "effect"
import type { SqlClient } from "effect/sql"
import { type Scope, sharedScope, runInFlight } from "./AccountScope.ts"

/**
 * A write that is told item by item and made for many at once. The members of a transaction that several
 * share come to the same step in the same turn of the event loop, and there one statement writes what all of
 * them bring; elsewhere it writes the one item. `write` yields what each item is answered. When it fails, it
 * fails for all of them, and the shared transaction with it.
 */
export const batchWrites = <A, B, E>(
  write: (items: Arr.NonEmptyReadonlyArray<A>) => Effect.Effect<(item: A) => B, E, SqlClient.SqlClient>
): (item: A) => Effect.Effect<B, E, SqlClient.SqlClient> => {
  class BatchItem extends Request.Class<
    { readonly item: A; readonly scope: Scope }, B, E, SqlClient.SqlClient
  > {}

  const resolver = RequestResolver.makeWith<BatchItem>({
    batchKey: ({ request }) => request.scope,
    delay: Effect.yieldNow,
    collectWhile: () => true,
    runAll: ([first, ...others]) =>
      write([first.request.item, ...others.map(({ request }) => request.item)]).pipe(
        Effect.map((answerTo) => {
          for (const entry of [first, ...others]) {
            entry.completeUnsafe(Exit.succeed(answerTo(entry.request.item)))
          }
        }),
        // They are all in one transaction, so it does not matter by whose services it is reached.
        Effect.provideContext(first.context),
        (writing) => runInFlight(first.request.scope, writing)
      )
  })

  return (item) =>
    Effect.flatMap(sharedScope, (scope): Effect.Effect<B, E, SqlClient.SqlClient> =>
      scope === null
        ? Effect.map(write([item]), (answerTo) => answerTo(item))
        : Effect.request(new BatchItem({ item, scope }), resolver))
}
