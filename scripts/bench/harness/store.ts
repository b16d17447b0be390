/* The database of one run: a server's, a throwaway cluster's or an embedded one, with one lane. */
import { Effect, type Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerEmbedded, type StorageFailure } from "../../../src/postgres/embedded/EmbeddedDatabase.ts"
import * as Database from "../../../src/sql/Database.ts"
import { openServer } from "../../../test/support/PostgresCluster.ts"
import { key } from "./history.ts"
import { filled } from "./lane.ts"
import { embeddedPostmaster, postmasterAt } from "./postgres.ts"

/** The lane that loads ask about. */
export const namespace = "bench"

/** The database of a run, with one lane. */
export interface Store {
  /** What a service process needs to know of it. */
  readonly environment: Readonly<Record<string, string>>
  /** PostgreSQL's first process, where it runs on this machine. */
  readonly postmaster: () => number | null
  /** For a look at it. */
  readonly database: Layer.Layer<SqlClient.SqlClient, StorageFailure>
  readonly close: () => Promise<void>
}

/**
 * The PostgreSQL of DATABASE_URL or a throwaway cluster, or an embedded database, and a lane of `laneSize`.
 */
export const openStore = async (
  isEmbedded: boolean,
  laneSize: number,
  isAnalysed = true
): Promise<Store> => {
  const directory = mkdtempSync(join(tmpdir(), "sextant-bench-"))
  const server = isEmbedded ? null : await openServer()
  if (server === null && !isEmbedded) throw new Error("No PostgreSQL here; try --embedded")
  const url = server?.url ?? null
  const database: Store["database"] = url === null
    ? layerEmbedded(directory)
    : Database.layerPostgres(Redacted.make(url))
  await Effect.runPromise(filled(database, namespace, laneSize, isAnalysed))
  const own = url === null ? null : await postmasterAt(url)
  return {
    environment: {
      PORT: "0",
      SEXTANT_CATALOG_REFRESH: "off",
      SEXTANT_BOOTSTRAP_KEYS: key,
      SEXTANT_DATA_DIR: directory,
      ...(url === null ? {} : { DATABASE_URL: url })
    },
    postmaster: () => url === null ? embeddedPostmaster(directory) : own,
    database,
    close: async () => {
      await server?.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
