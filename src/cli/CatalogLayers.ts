/* The drivers of the catalog: from a file, the bundled one, or one with refreshed prices. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Config, Effect, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import { Catalog } from "../catalog/Catalog.ts"
import * as CatalogFile from "../catalog/file/CatalogFile.ts"
import * as CatalogRefresh from "../catalog/remote/CatalogRefresh.ts"
import type { AppConfig } from "./Config.ts"

/** Returns the catalog of `SEXTANT_CATALOG_FILE`, otherwise the bundled one; null if prices are refreshed. */
const fixedCatalog = ({ catalogFile, catalogRefresh }: AppConfig) =>
  Option.match(catalogFile, {
    onSome: (path) => CatalogFile.layerFile(path),
    onNone: () => catalogRefresh === "off" ? CatalogFile.layerBundled : null
  })

/** Reads the catalog of `SEXTANT_CATALOG_FILE`, otherwise the bundled one, without the network. */
export const snapshotAtRest = Effect.gen(function*() {
  const path = yield* Config.option(Config.String("SEXTANT_CATALOG_FILE"))
  const catalog = Option.match(path, {
    onSome: CatalogFile.layerFile, onNone: () => CatalogFile.layerBundled
  }).pipe(Layer.provide(NodeServices.layer))
  return yield* Catalog.use(({ snapshot }) => snapshot).pipe(Effect.provide(catalog))
})

/** The service's catalog. If prices are refreshed, every process of the service refreshes them. */
export const catalog = (config: AppConfig) =>
  (fixedCatalog(config) ?? CatalogRefresh.layerRefreshing({ dataDirectory: config.dataDirectory })).pipe(
    Layer.provide([NodeServices.layer, FetchHttpClient.layer])
  )

/** The service's catalog with the last stored prices, without a request to price sources. */
export const storedCatalog = (config: AppConfig) =>
  (fixedCatalog(config)
    ?? Layer.effect(Catalog, CatalogRefresh.make({ dataDirectory: config.dataDirectory }))).pipe(
      Layer.provide([NodeServices.layer, FetchHttpClient.layer])
    )

export const storedSnapshot = (config: AppConfig) =>
  Effect.flatMap(Catalog, ({ snapshot }) => snapshot).pipe(Effect.provide(storedCatalog(config)))
