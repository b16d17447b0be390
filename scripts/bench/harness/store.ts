/* The database of one run, that of DATABASE_URL or a throwaway cluster's, with one lane of a given number of outcomes. */
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as CatalogFile from "../../../src/catalog/file/CatalogFile.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { Settings } from "../../../src/engine/Settings.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import * as Database from "../../../src/sql/Database.ts"
import { openServer } from "../../../test/support/PostgresCluster.ts"
import { accountId, fill, key } from "./history.ts"
import { type Server, service, stop } from "./processes.ts"

/** The lane that loads ask about. */
export const namespace = "bench"

/** The database of a run, with one lane. */
interface Store {
  /** The variables of a service on this database. */
  readonly environment: Readonly<Record<string, string>>
  /** PostgreSQL's first process, whose time counts; null where it runs elsewhere, or its directory is not to be read. */
  readonly postmaster: number | null
  /** A layer for statements on the database. */
  readonly database: ReturnType<typeof Database.layerPostgres>
  readonly close: () => Promise<void>
}

const pageSize = 500

/**
 * Fills the lane through the Memory port, with many outcomes to a transaction. The rows are those of feedback, but are
 * written sooner.
 */
const fillLane = Effect.fnUntraced(function*(size: number, isAnalysed: boolean) {
  const sql = yield* SqlClient.SqlClient
  for (let from = 0; from < size; from += pageSize) {
    yield* fill(namespace, from, Math.min(size, from + pageSize)).pipe(
      withAccount(accountId),
      Effect.provideService(SqlClient.SqlClient, sql)
    )
  }
  if (isAnalysed) yield* sql`analyze`
})

/** Reads PostgreSQL's process from its lock file: the first line is the process, and the fourth its port. */
const postmasterAt = (url: string) =>
  SqlClient.SqlClient.use((sql) =>
    sql<{ readonly directory: string }>`select current_setting('data_directory') as directory`
  ).pipe(
    Effect.catchTag("SqlError", () => Effect.succeed([])),
    Effect.map(([row]) => {
      const { hostname, port } = new URL(url)
      const lock = join(row?.directory ?? "", "postmaster.pid")
      const [pid, , , listening] = existsSync(lock) ? readFileSync(lock, "utf8").split("\n") : []
      return ["127.0.0.1", "localhost"].includes(hostname) && listening === (port || "5432") ? Number(pid) : null
    })
  )

const memory = MemorySql.layer({ endpoint: "postgresql" }).pipe(
  Layer.provide(EmbedderLexical.layer),
  Layer.merge(CatalogFile.layerBundled.pipe(Layer.provide(NodeServices.layer))),
  Layer.merge(Settings.layer())
)

/** Opens the database and gives it the lane. */
const openStore = async (laneSize: number, isAnalysed: boolean): Promise<Store> => {
  const server = await openServer()
  if (server === null) throw new Error("No PostgreSQL here")
  const directory = mkdtempSync(join(tmpdir(), "sextant-bench-"))
  const database = Database.layerPostgres(Redacted.make(server.url))
  const postmaster = await Effect.runPromise(
    Effect.andThen(fillLane(laneSize, isAnalysed), postmasterAt(server.url)).pipe(
      Effect.provide(Layer.provideMerge(memory, database))
    )
  )
  return {
    environment: {
      PORT: "0",
      SEXTANT_CATALOG_REFRESH: "off",
      SEXTANT_BOOTSTRAP_KEYS: key,
      SEXTANT_DATA_DIR: directory,
      DATABASE_URL: server.url
    },
    postmaster,
    database,
    close: async () => {
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

/** Starts a service on a store with a lane of `laneSize`, and closes both when `use` is done. */
export const withService = async (
  laneSize: number,
  { environment = {}, isAnalysed = true }: {
    readonly environment?: Readonly<Record<string, string>>
    readonly isAnalysed?: boolean
  },
  use: (served: Server, store: Store) => Promise<void>
): Promise<void> => {
  const store = await openStore(laneSize, isAnalysed)
  try {
    const served = await service({ ...store.environment, ...environment })
    await use(served, store).finally(() => stop(served))
  } finally {
    await store.close()
  }
}
