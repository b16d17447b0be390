/* Combines writes of one shared transaction into one statement. */
import { type Array as Arr, Effect, Exit, Request, RequestResolver } from "effect"
import type { SqlClient } from "effect/sql"
import { type OpenTransaction, sharedScope, runInFlight } from "./AccountScope.ts"

/**
 * A function that writes one item, built from `write`, which writes many. Members of a shared transaction
 * reach the same step in the same turn of the event loop; one call of `write` then gets all their items.
 * Outside a shared transaction `write` gets the one item. `write` yields a function from an item to its
 * result. When `write` fails, every item fails, and the shared transaction with them.
 */
export const batchWrites = <A, B, E>(
  write: (items: Arr.NonEmptyReadonlyArray<A>) => Effect.Effect<(item: A) => B, E, SqlClient.SqlClient>
): (item: A) => Effect.Effect<B, E, SqlClient.SqlClient> => {
  class BatchItem extends Request.Class<
    { readonly item: A; readonly scope: OpenTransaction }, B, E, SqlClient.SqlClient
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
        // All items are in one transaction, so the services of the first caller serve for all.
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
