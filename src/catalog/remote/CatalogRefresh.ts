/** Driver of {@link Catalog}: the bundled models with prices read from public sources on a schedule. */
import { Clock, Duration, Effect, FileSystem, Layer, Path, Random, Ref, Result } from "effect"
import { HttpClient } from "effect/http"
import type { CatalogSnapshot, ModelCard } from "../../domain/model/Model.ts"
import { rootMessageOf } from "../../domain/text/ErrorMessage.ts"
import { Catalog } from "../Catalog.ts"
import { bundledRows, type CatalogFileInvalid } from "../file/CatalogFile.ts"
import { restore, save } from "../file/LastGood.ts"
import { matchedShareMin, merge } from "../Merge.ts"
import { type CatalogRows, reader, rowsOf } from "../Snapshot.ts"
import { type SourceName, sourceNames, sourceUrls } from "../Sources.ts"
import { type Feed, type FeedFailed, makeFeed } from "./Feed.ts"

interface RefreshOptions {
  /** Folder of the last good prices, `catalog.json`; created when missing. */
  readonly dataDirectory: string
  readonly urls?: { readonly [Name in SourceName]: string }
  /** Pause between refreshes, each drawn within 10 % of it; 6 hours. */
  readonly every?: Duration.Input
  /** For each source, body included; 10,000. */
  readonly timeoutMs?: number
  /** Largest body read of a source, in bytes; 8 MiB. */
  readonly bodyBytesMax?: number
  /** The models to price, in place of the bundled ones; for tests. */
  readonly rows?: CatalogRows
}

/** Longest words about one source in the log, characters. */
const failureLengthMax = 200

/** How often the sources are read, by default. */
const everyDefault: Duration.Input = "6 hours"

/** What one refresh did. `accepted` is false when too few models were priced; then nothing changed. */
interface RefreshReport {
  readonly accepted: boolean
  readonly matched: number
  readonly quarantined: ReadonlyArray<string>
  /** Sources that answered with valid rows. */
  readonly sources: ReadonlyArray<SourceName>
}

/** Names the sources whose prices are in use, in order of preference. */
const costSourceOf = (cards: ReadonlyArray<ModelCard>): string => {
  const used = new Set(cards.map((card) => card.costSource))
  return sourceNames.filter((name) => used.has(name)).join(",") || "bundled"
}

const newestFetchMs = (cards: ReadonlyArray<ModelCard>): number =>
  cards.reduce((newest, card) => Math.max(newest, Date.parse(card.costFetchedAt ?? "") || 0), 0)

const refreshed = (cards: ReadonlyArray<ModelCard>): CatalogRows =>
  rowsOf(cards, { refreshedAtMs: newestFetchMs(cards), costSource: costSourceOf(cards) })

/** The refreshing catalog without its schedule. */
interface RefreshingCatalog {
  readonly snapshot: Effect.Effect<CatalogSnapshot>
  /** One refresh; failures are in its report and in the log. */
  readonly refresh: Effect.Effect<RefreshReport>
}

/** Why a source was not usable, in a few words. */
const failureOf = ({ reason, source }: FeedFailed): string =>
  `${source}: ${rootMessageOf(reason)}`.slice(0, failureLengthMax)

/** All sources that were not usable, in one line. */
const failureLine = (failures: ReadonlyArray<string>, isAll: boolean): string => {
  const what = isAll
    ? "No price source could be read, and the prices in use stay"
    : "Some price sources could not be read"
  return `${what} (${failures.join("; ")})`
}

/**
 * Reads all sources, merges their prices into the cards in use, and passes the result to `use` if enough
 * models were priced.
 */
const refreshOnce = Effect.fnUntraced(function*(
  feeds: ReadonlyArray<{ readonly source: SourceName; readonly read: Feed }>,
  cardsInUse: Effect.Effect<ReadonlyArray<ModelCard>>,
  use: (cards: ReadonlyArray<ModelCard>) => Effect.Effect<void>
): Effect.fn.Return<RefreshReport> {
  const answers = yield* Effect.forEach(feeds, ({ source, read }) =>
    read.pipe(
      Effect.map((found) => ({ source, rows: found })),
      Effect.result
    ), { concurrency: feeds.length })
  const usable = answers.flatMap((answer) => Result.isSuccess(answer) ? [answer.success] : [])
  const failures = answers.flatMap((answer) => Result.isFailure(answer) ? [failureOf(answer.failure)] : [])
  if (failures.length > 0) yield* Effect.logWarning(failureLine(failures, usable.length === 0))
  const cards = yield* cardsInUse
  const fetchedAt = new Date(yield* Clock.currentTimeMillis).toISOString()
  const merged = merge(cards, usable, fetchedAt)
  const report = {
    accepted: merged.matched >= matchedShareMin * cards.length,
    matched: merged.matched,
    quarantined: merged.quarantined,
    sources: usable.map(({ source }) => source)
  }
  if (report.quarantined.length > 0) {
    yield* Effect.logWarning("Prices were quarantined", { models: report.quarantined })
  }
  if (!report.accepted) {
    if (usable.length > 0) {
      yield* Effect.logWarning("Too few models were priced; the last good catalog stays", report)
    }
    return report
  }
  yield* use(merged.cards)
  return report
})

/** The refreshing catalog of the options; starts from the prices kept on disk. */
export const make = Effect.fn("catalog.make")(function*(options: RefreshOptions): Effect.fn.Return<
  RefreshingCatalog,
  CatalogFileInvalid,
  HttpClient.HttpClient | FileSystem.FileSystem | Path.Path
> {
  const { timeoutMs = 10_000, bodyBytesMax = 8 * 1024 * 1024, urls = sourceUrls } = options
  const disk = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const path = (yield* Path.Path).join(options.dataDirectory, "catalog.json")
  const bundled = options.rows ?? (yield* bundledRows)
  const restored = yield* restore(path, bundled.cards, yield* Clock.currentTimeMillis)
  const rows = yield* Ref.make(refreshed(restored))
  const feeds = yield* Effect.forEach(sourceNames, (source) =>
    Effect.map(
      makeFeed({ source, url: urls[source], timeoutMs, bodyBytesMax }),
      (read) => ({ source, read })
    ))

  const use = Effect.fnUntraced(function*(cards: ReadonlyArray<ModelCard>) {
    yield* Ref.set(rows, refreshed(cards))
    yield* save(path, cards).pipe(
      Effect.catch((error) => Effect.logWarning("The catalog could not be kept on disk", error)),
      Effect.provide(disk)
    )
  })

  return {
    snapshot: reader(rows),
    refresh: refreshOnce(feeds, Effect.map(Ref.get(rows), ({ cards }) => cards), use)
  }
})

/** Longest pause before the first refresh, ms: processes that start together do not ask in one second. */
const firstPauseMsMax = 2_000

/** Refreshes within seconds, then every `every`, drawn within 10 % of it, so that processes spread out. */
const keepRefreshing = (
  refresh: Effect.Effect<RefreshReport>,
  every: Duration.Duration
): Effect.Effect<never> => {
  const guarded = <A, E>(once: Effect.Effect<A, E>) =>
    once.pipe(
      // Why a source was not usable is logged.
      Effect.ignore,
      // A defect in reading a foreign body must end one refresh, not all later ones.
      Effect.catchDefect((defect) => Effect.logError("A catalog refresh crashed", defect))
    )
  const sleepBetween = (fromMs: number, toMs: number) =>
    Effect.flatMap(Random.next, (draw) => Effect.sleep(fromMs + draw * (toMs - fromMs)))
  const everyMs = Duration.toMillis(every)
  const later = Effect.andThen(sleepBetween(0.9 * everyMs, 1.1 * everyMs), guarded(refresh))
  return sleepBetween(0, firstPauseMsMax).pipe(
    Effect.andThen(guarded(refresh)),
    Effect.andThen(Effect.forever(later))
  )
}

/**
 * The bundled models with prices from the public sources. Starts from the prices kept on disk without waiting
 * for the network; fails only when the bundle itself is broken.
 */
export const layerRefreshing = (
  options: RefreshOptions
): Layer.Layer<Catalog, CatalogFileInvalid, HttpClient.HttpClient | FileSystem.FileSystem | Path.Path> =>
  Layer.effect(
    Catalog,
    Effect.gen(function*() {
      const { snapshot, refresh } = yield* make(options)
      const every = Duration.fromInputUnsafe(options.every ?? everyDefault)
      yield* Effect.forkScoped(keepRefreshing(refresh, every))
      return Catalog.of({ snapshot })
    })
  )
