/* The servers of the service in this process, each on a free port of the loopback. */
import { Layer } from "effect"
import { Learner } from "../../src/engine/Learner.ts"
import * as PredictKinds from "../../src/engine/PredictKinds.ts"
import { Recommender } from "../../src/engine/Recommender.ts"
import { Settings } from "../../src/engine/Settings.ts"
import * as Listener from "../../src/http/Listener.ts"
import * as MemoryServer from "../../src/http/MemoryServer.ts"
import * as Server from "../../src/http/Server.ts"
import * as RecentTasksLocal from "../../src/memory/local/RecentTasksLocal.ts"
import { Reports } from "../../src/reports/Reports.ts"

/** A server that listens, and needs no test to wait for its end. */
export const listening = () =>
  Listener.layer({ port: 0, host: "127.0.0.1", gracefulShutdownTimeout: "1 second" })

const pipelines = () =>
  Layer.mergeAll(Recommender.layer, Learner.layer, Reports.layer.pipe(Layer.provide(PredictKinds.layer)))

type Needed = Layer.Services<ReturnType<typeof pipelines>> | Layer.Services<ReturnType<typeof Server.layerRoutes>>

/** The real server over the real engine, and the ports, which alone differ, beside it. */
export const serverOver = <A extends Needed, E, R>(
  ports: Layer.Layer<A, E, R>,
  settings: Parameters<typeof Settings.layer>[0] = {}
) =>
  Server.layerRoutes({ rateLimitPerMinute: null }).pipe(
    Layer.provide(pipelines()),
    Layer.provide([
      Layer.fresh(RecentTasksLocal.layer),
      // A busy machine must not turn into timeouts: only what a test breaks may be at fault.
      Settings.layer({ recallBudgetMs: 60_000, ledgerBudgetMs: 60_000, ...settings })
    ]),
    Layer.provideMerge(ports),
    Layer.provideMerge(listening())
  )

/** The memory served alone; its ports are the caller's. */
export const memoryServer = (options: Parameters<typeof MemoryServer.layerRoutes>[0] = {}) =>
  MemoryServer.layerRoutes(options).pipe(Layer.provideMerge(listening()))
