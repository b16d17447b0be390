/** Driver of {@link Catalog}: the bundled models, with prices that are regularly read from public sources. */
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
  /** Folder of `catalog.json`, which holds the last good prices. The folder is made if it is missing. */
  readonly dataDirectory: string
  readonly urls?: { readonly [Name in SourceName]: string }
  /** Pause between refreshes, which varies at random by up to 10 %. Default: 6 hours. */
  readonly every?: Duration.Input
  /** Time limit for reading each source with its body, ms. Default: 10,000. */
  readonly timeoutMs?: number
  /** Maximum size of a source's body, in bytes. Default: 8 MiB. */
  readonly bodyBytesMax?: number
  /** Models to price in place of the bundled models, for tests. */
  readonly rows?: CatalogRows
}

/** Maximum length of the text about one source in the log, characters. */
const failureLengthMax = 200

const everyDefault: Duration.Input = "6 hours"

/** If `accepted` is false, too few models got a price, and nothing changed. */
interface RefreshReport {
  readonly accepted: boolean
  readonly matched: number
  readonly quarantined: ReadonlyArray<string>
  /** The sources that answered with valid rows. */
  readonly sources: ReadonlyArray<SourceName>
}

/** Returns the names of the sources whose prices are in use, in order of preference, or else `bundled`. */
const costSourceOf = (cards: ReadonlyArray<ModelCard>): string => {
  const used = new Set(cards.map((card) => card.costSource))
  return sourceNames.filter((name) => used.has(name)).join(",") || "bundled"
}

const newestFetchMs = (cards: ReadonlyArray<ModelCard>): number =>
  cards.reduce((newest, card) => Math.max(newest, Date.parse(card.costFetchedAt ?? "") || 0), 0)

const refreshed = (cards: ReadonlyArray<ModelCard>): CatalogRows =>
  rowsOf(cards, { refreshedAtMs: newestFetchMs(cards), costSource: costSourceOf(cards) })

interface RefreshingCatalog {
  readonly snapshot: Effect.Effect<CatalogSnapshot>
  /** Reads all sources once, and logs which sources could not be read. */
  readonly refresh: Effect.Effect<RefreshReport>
}

const failureOf = ({ reason, source }: FeedFailed): string =>
  `${source}: ${rootMessageOf(reason)}`.slice(0, failureLengthMax)

const failureLine = (failures: ReadonlyArray<string>, isAll: boolean): string => {
  const what = isAll
    ? "No price source could be read, and the prices in use stay"
    : "Some price sources could not be read"
  return `${what} (${failures.join("; ")})`
}

/** Reads all sources. If enough models got a price, passes the cards to `use`. */
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

/** Each model begins with its prices on disk, or with its bundled prices if they are newer. */
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

/** Maximum of the random pause before the first refresh, ms. */
const firstPauseMsMax = 2_000

/** Pauses vary at random by up to 10 %, so that processes do not refresh at the same time. */
const keepRefreshing = (
  refresh: Effect.Effect<RefreshReport>,
  every: Duration.Duration
): Effect.Effect<never> => {
  const guarded = <A, E>(once: Effect.Effect<A, E>) =>
    once.pipe(
      Effect.ignore,
      // A defect is only logged, because a source's strange body must not prevent later refreshes.
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

/** The layer does not wait for the network, and fails only if the bundled catalog is broken. */
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
