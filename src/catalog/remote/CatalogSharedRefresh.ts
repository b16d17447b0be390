/** Driver of {@link Catalog}: the refreshing catalog of one copy among several that share prices. */
import { Duration, Effect, type FileSystem, Layer, type Path } from "effect"
import type { HttpClient } from "effect/http"
import { monotonicMs } from "../../domain/Time.ts"
import { Catalog } from "../Catalog.ts"
import type { CatalogFileInvalid } from "../file/CatalogFile.ts"
import { SharedPrices } from "../SharedPrices.ts"
import { type SharedPricesSettings, sharedPricesSettings } from "../SharedPricesSettings.ts"
import { everyDefault, make, pauseMs, type RefreshingCatalog, type RefreshOptions } from "./CatalogRefresh.ts"

/** The state of a copy between two looks. */
interface RefreshState {
  /** Revision of the shared prices in use; 0 for none. */
  readonly seen: number
  /** When this copy reads the sources itself unless it sees shared prices before; monotonic, in ms. */
  readonly aloneAtMs: number
  /** Whether the last look failed, which is logged once. */
  readonly isOut: boolean
}

/** One look: takes over the prices that another copy read, or reads the sources in this copy's turn. */
const lookOnce = (
  catalog: RefreshingCatalog,
  every: Duration.Duration,
  settings: SharedPricesSettings
) =>
  Effect.fnUntraced(function*({ aloneAtMs, isOut, seen }: RefreshState) {
    const shared = yield* SharedPrices
    const later = (nowMs: number) => nowMs + settings.aloneAfterPauses * Duration.toMillis(every)

    const together = Effect.gen(function*() {
      const { news, turn } = yield* shared.look(seen)
      if (news !== null) yield* catalog.adopt(news.text)
      if (turn === null) return news?.revision ?? seen
      const { accepted } = yield* catalog.refresh
      const pause = yield* pauseMs(every)
      const settled = accepted
        ? { text: yield* catalog.kept, dueInMs: pause }
        : { text: null, dueInMs: pause * settings.retryShare }
      const revision = yield* shared.settle(turn, settled)
      // After a lost turn, or one without prices, the next look brings the prices of the others.
      return accepted && revision !== null ? revision : seen
    })

    return yield* Effect.matchEffect(together, {
      onSuccess: (revision) =>
        Effect.map(monotonicMs, (nowMs): RefreshState =>
          ({ seen: revision, aloneAtMs: later(nowMs), isOut: false })),
      onFailure: (error) =>
        Effect.gen(function*(): Effect.fn.Return<RefreshState> {
          if (!isOut) yield* Effect.logWarning("The prices that copies share cannot be used for now", error)
          const nowMs = yield* monotonicMs
          if (nowMs < aloneAtMs) return { seen, aloneAtMs, isOut: true }
          yield* catalog.refresh
          // The prices that the others have by then replace those that are read here meanwhile.
          return { seen: 0, aloneAtMs: nowMs + (yield* pauseMs(every)), isOut: true }
        })
    })
  })

/** Looks now and every few seconds. Never ends. */
const keepSharing = Effect.fnUntraced(function*(
  catalog: RefreshingCatalog,
  every: Duration.Duration,
  settings: SharedPricesSettings
): Effect.fn.Return<never, never, SharedPrices> {
  const look = lookOnce(catalog, every, settings)
  let state: RefreshState = { seen: 0, aloneAtMs: (yield* monotonicMs) + settings.graceMs, isOut: false }
  for (;;) {
    const before = state
    state = yield* look(before).pipe(
      // A defect in reading a foreign body must end one refresh, not all later ones.
      Effect.catchDefect((defect) => Effect.as(Effect.logError("A catalog refresh crashed", defect), before))
    )
    yield* Effect.sleep(settings.lookMs)
  }
})

/**
 * The refreshing catalog of one copy among several: one copy at a time reads the sources, and the others take
 * over its prices within seconds. While the shared prices are unavailable, each copy reads the sources
 * itself, no more often than a single copy does. Fails only when the bundle itself is broken.
 */
export const layer = (
  options: RefreshOptions,
  settings: SharedPricesSettings = sharedPricesSettings
): Layer.Layer<
  Catalog,
  CatalogFileInvalid,
  SharedPrices | HttpClient.HttpClient | FileSystem.FileSystem | Path.Path
> =>
  Layer.effect(
    Catalog,
    Effect.gen(function*() {
      const catalog = yield* make(options)
      const every = Duration.fromInputUnsafe(options.every ?? everyDefault)
      yield* Effect.forkScoped(keepSharing(catalog, every, settings))
      return Catalog.of({ snapshot: catalog.snapshot })
    })
  )
