import { Cause, Effect, Layer, Logger, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { Keys } from "../../src/accounts/Keys.ts"
import * as AccountModelsSql from "../../src/accounts/sql/AccountModelsSql.ts"
import * as KeysSql from "../../src/accounts/sql/KeysSql.ts"
import * as EmbedderLexical from "../../src/embedder/lexical/EmbedderLexical.ts"
import * as LaneCalibrationSql from "../../src/ledger/sql/LaneCalibrationSql.ts"
import * as LedgerSql from "../../src/ledger/sql/LedgerSql.ts"
import { memorySettings, type MemorySettings } from "../../src/memory/MemorySettings.ts"
import * as MemorySql from "../../src/memory/sql/MemorySql.ts"
import { Reasoner } from "../../src/reasoner/Reasoner.ts"
import * as AggregatesSql from "../../src/reports/sql/AggregatesSql.ts"
import * as ObservedCallsSql from "../../src/reports/sql/ObservedCallsSql.ts"
import * as WriteCounts from "../../src/reports/WriteCounts.ts"
import * as AccountModelsLocal from "../local/AccountModelsLocal.ts"
import * as AggregatesReference from "../reports/reference/Aggregates.ts"
import * as KeysLocal from "../local/KeysLocal.ts"
import * as LaneCalibrationLocal from "../local/LaneCalibrationLocal.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import * as MemoryLocal from "../local/MemoryLocal.ts"
import { embedded } from "../support/Databases.ts"
import { memoryServer, serverOver } from "../support/InProcess.ts"
import { undatedCatalog } from "../support/undatedCatalog.ts"

/**
 * `local` keeps everything in this process, which is quick; `embedded` in the embedded PostgreSQL; `memory`
 * is the memory alone as a server, over the latter.
 */
export type Storage = "local" | "embedded" | "memory"

export const fuzzKey = "sxt_fuzz_k1_0123456789abcdef0123456789abcdef"
const secrets = [Redacted.make(fuzzKey)]

const embedder = EmbedderLexical.layer

/** The ports that keep nothing. */
const unkept = () =>
  Layer.merge(undatedCatalog, Reasoner.layerDisabled)

/** Every key as one of the role `admin`, which may call all endpoints. */
const asAdmin = Layer.effect(Keys, Effect.map(Keys, ({ remembered: _remembered, ...keys }) => Keys.of({
  ...keys,
  verify: (key) => Effect.map(keys.verify(key), (holder) => ({ ...holder, role: "admin" }))
})))

const local = Layer.mergeAll(
  unkept(),
  Layer.fresh(MemoryLocal.layer()).pipe(Layer.provide(embedder)),
  AggregatesReference.layer.pipe(
    Layer.provideMerge(WriteCounts.layer.pipe(Layer.provide(Layer.fresh(LedgerLocal.layer)))),
    Layer.fresh
  ),
  Layer.fresh(LaneCalibrationLocal.layer),
  Layer.fresh(AccountModelsLocal.layer),
  asAdmin.pipe(Layer.provide(Layer.fresh(KeysLocal.layer(secrets))))
)

/** The service's own storage over a database, with the keys registered. */
export const overSql = (keys: ReadonlyArray<Redacted.Redacted<string>>, settings: MemorySettings = memorySettings) =>
  Layer.mergeAll(
    unkept(),
    MemorySql.layer({ endpoint: "embedded", settings }).pipe(Layer.provide(embedder)),
    WriteCounts.layer.pipe(Layer.provide(LedgerSql.layer)),
    AggregatesSql.layer,
    ObservedCallsSql.layer,
    LaneCalibrationSql.layer,
    AccountModelsSql.layer,
    Layer.effectDiscard(Keys.use(({ register }) => Effect.forEach(keys, register, { discard: true }))).pipe(
      Layer.provideMerge(asAdmin.pipe(Layer.provide(KeysSql.layer)))
    )
  )

const inDatabase = overSql(secrets).pipe(Layer.provide(Layer.fresh(embedded)))

/** The service, telling every warning and error that it logs. */
export const serviceOn = (storage: Storage, onTrouble: (line: string) => void) => {
  const logger = Logger.make(({ cause, logLevel, message }) => {
    if (logLevel !== "Warn" && logLevel !== "Error" && logLevel !== "Fatal") return
    onTrouble(`${String(message)} ${Cause.pretty(cause)}`.slice(0, 2_000))
  })
  const server = storage === "memory"
    ? memoryServer().pipe(Layer.provide(inDatabase))
    : storage === "local" ? serverOver(local) : serverOver(inDatabase)
  return server.pipe(Layer.provide(Logger.layer([logger])))
}

export const portOf = HttpServer.HttpServer.use(({ address }) =>
  address._tag === "UnixPathAddress" ? Effect.die(new Error("not on a port")) : Effect.succeed(address.port))

