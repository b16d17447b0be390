/* Fills a database with a lane of a given number of outcomes. */
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as CatalogFile from "../../../src/catalog/file/CatalogFile.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { Settings } from "../../../src/engine/Settings.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { type StorageFailure } from "../../../src/postgres/embedded/EmbeddedDatabase.ts"
import { accountId, fill } from "./history.ts"

const pageSize = 500

/** Through the Memory port, many outcomes to a transaction: the same rows as feedback writes, sooner. */
const fillLane = Effect.fnUntraced(function*(namespace: string, size: number, isAnalysed: boolean) {
  const sql = yield* SqlClient.SqlClient
  for (let from = 0; from < size; from += pageSize) {
    yield* fill(namespace, from, Math.min(size, from + pageSize)).pipe(
      withAccount(accountId),
      Effect.provideService(SqlClient.SqlClient, sql)
    )
  }
  if (isAnalysed) yield* sql`analyze`
})

/** Gives a database a lane of so many outcomes. */
export const filled = (
  database: Layer.Layer<SqlClient.SqlClient, StorageFailure>,
  namespace: string,
  size: number,
  isAnalysed: boolean
) =>
  fillLane(namespace, size, isAnalysed).pipe(Effect.provide(
    MemorySql.layer({ endpoint: "postgresql" }).pipe(
      Layer.provide(EmbedderLexical.layer),
      Layer.provideMerge(database),
      Layer.merge(CatalogFile.layerBundled.pipe(Layer.provide(NodeServices.layer))),
      Layer.merge(Settings.layer())
    )
  ))
