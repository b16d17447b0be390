/* Runs the service, in one process or in several on one port, or runs the memory alone. */
import { Effect, Layer, Schedule } from "effect"
import { Learner } from "../engine/Learner.ts"
import * as PredictKinds from "../engine/PredictKinds.ts"
import { Recommender } from "../engine/Recommender.ts"
import * as Listener from "../http/Listener.ts"
import * as MemoryServer from "../http/MemoryServer.ts"
import { makeReadiness, type Readiness } from "../http/Readiness.ts"
import * as Server from "../http/Server.ts"
import { Reports } from "../reports/Reports.ts"
import * as Database from "../sql/Database.ts"
import * as DatabaseClock from "../sql/DatabaseClock.ts"
import { requireSchema } from "../sql/Migrations.ts"
import { keepRetention } from "../retention/Retention.ts"
import { printBanner, printMemoryBanner } from "./Banner.ts"
import { AppConfig, MemoryConfig, retentionTimes, servingConfig } from "./Config.ts"
import * as Layers from "./Layers.ts"
import * as StartSpinner from "./StartSpinner.ts"
import { databaseServer, servingStorage } from "./Storage.ts"
import { supervise } from "./workers/Supervisor.ts"
import { joinsOthers, layer as layerWorker, processNumber } from "./workers/Worker.ts"

/** Waits until the schema is up to date, and then runs retention from time to time if `migrates` is true. */
const backgroundWork = (config: MemoryConfig, { mark }: Readiness) =>
  Layer.effectDiscard(Effect.forkScoped(Effect.gen(function*() {
    const often = Schedule.spaced("200 millis")
    yield* Effect.retry(requireSchema, often)
    yield* mark("schema")
    if (!config.migrates) return
    // Retention has its own connections, because dropping a large month may exceed the service's time limit.
    const database = yield* Effect.retry(Layer.build(Database.layerCommands("ignore")), often)
    yield* keepRetention(retentionTimes(config), Layers.removeUnwanted(config.taskText)).pipe(
      Effect.provide(database)
    )
  })))

const serviceLayer = (config: AppConfig) => {
  const engine = Layer.mergeAll(
    Recommender.layer, Learner.layer, Reports.layer.pipe(Layer.provide(PredictKinds.layer))
  )
  const { host, port, processes, trustedProxies } = config
  const share = (limit: number | null) => limit === null ? null : Math.max(1, Math.floor(limit / processes))
  const rateLimitPerMinute = share(config.rateLimitPerMinute)
  const verification = { failedKeysPerMinute: share(config.failedKeysPerMinute), trustedProxies }
  const readiness = makeReadiness()
  const database = servingStorage(config)
  const ports = Layer.merge(
    Layers.servicePorts(config, database),
    backgroundWork(config, readiness).pipe(Layer.provide(database))
  )
  const service = Layer.effectDiscard(printBanner(config, readiness)).pipe(
    Layer.provideMerge(Server.layerRoutes({ rateLimitPerMinute, verification, readiness: readiness.state }))
  )
  const beneath = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
    layer.pipe(
      Layer.provide(engine),
      Layer.provide(ports),
      Layer.provide(DatabaseClock.layer.pipe(Layer.provide(database))),
      Layer.provide(databaseServer(config)),
      Layer.provide(Layers.telemetry(config))
    )
  const listener = Listener.layer({ host, port, awaitsRoutes: joinsOthers })
  // The listener starts first, because a start on a used port must leave no database behind. A worker on
  // a port of running workers starts its listener last, because connections arrive at once.
  const served = joinsOthers
    ? beneath(service.pipe(Layer.provideMerge(listener)))
    : beneath(service).pipe(Layer.provideMerge(listener))
  return served.pipe(Layer.provide(layerWorker(processes)), Layer.provide(StartSpinner.layer))
}

const memoryLayer = (config: MemoryConfig) => {
  const { failedKeysPerMinute, host, port, trustedProxies } = config
  const verification = { failedKeysPerMinute, trustedProxies }
  const readiness = makeReadiness()
  return Layer.effectDiscard(printMemoryBanner(config, readiness)).pipe(
    Layer.provideMerge(MemoryServer.layerRoutes({ verification, readiness: readiness.state })),
    Layer.provide(Layer.merge(Layers.memoryPorts(config), backgroundWork(config, readiness))),
    Layer.provide(DatabaseClock.layer),
    Layer.provide(servingStorage(config)),
    Layer.provide(databaseServer(config)),
    Layer.provide(Layers.telemetry(config)),
    Layer.provideMerge(Listener.layer({ host, port }))
  )
}

export const service = Effect.gen(function*() {
  const config = yield* servingConfig(AppConfig)
  if (config.processes > 1 && processNumber === null) {
    return yield* supervise(config.processes, config.drainDelayMs)
  }
  const launched = Layer.launch(serviceLayer(config))
  return yield* processNumber === null
    ? launched
    : Effect.annotateLogs(launched, { process: processNumber })
})

export const memory = Layer.unwrap(Effect.map(servingConfig(MemoryConfig), memoryLayer))
