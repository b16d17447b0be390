import { Effect, type Scope } from "effect"
import { onServer } from "../support/Databases.ts"
import type { Cluster } from "../support/PostgresCluster.ts"
import { sendRequest, type Service, type ServiceFailed, stopService } from "../support/Service.ts"
import { balanced, balancer } from "./balancer.ts"
import { acknowledgedMore, audit, copy, type Heard, type Kept, nothingHeard, underLoad } from "./drill.ts"

/** What happened while one mix of copies served. */
export interface Phase {
  readonly name: string
  readonly migrations: number
  readonly requests: number
  readonly refused: number
  readonly acknowledged: number
}

export interface Replaced {
  readonly phases: ReadonlyArray<Phase>
  readonly heard: Heard
  readonly kept: Kept
  /** How often the balancer asked another copy, since nothing had been sent to the first. */
  readonly again: number
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0)

const refusedIn = ({ statuses }: Heard): number =>
  sum([...statuses].map(([kind, count]) => kind.endsWith(" 200") ? 0 : count))

/**
 * Two copies of an older build under load; this build comes up beside them, brings the schema up to date, and
 * replaces them one by one; then the older build replaces it again, on the newer schema.
 */
export const replaceBuilds = (
  cluster: Cluster,
  options: { readonly olderDirectory: string; readonly clients: number; readonly perPhase: number }
) =>
  Effect.gen(function*() {
    const proxy = yield* balancer
    const heard = nothingHeard()
    const phases: Array<Phase> = []
    let copies: ReadonlyArray<Service> = []
    const use = (all: ReadonlyArray<Service>) => {
      copies = all
      proxy.use(all.map(({ baseUrl }) => baseUrl))
    }
    const older = copy(cluster.url, {}, options.olderDirectory)
    const newer = copy(cluster.url)

    let before = { requests: 0, refused: 0, acknowledged: 0 }
    const phase = Effect.fnUntraced(function*(name: string) {
      yield* acknowledgedMore(heard, options.perPhase)
      const [row] = yield* onServer<{ readonly count: number }>(
        cluster.url, "select count(*)::int as count from sextant_migration")
      const now = {
        requests: sum(heard.statuses.values()), refused: refusedIn(heard), acknowledged: heard.acknowledged.size
      }
      phases.push({
        name,
        migrations: row?.count ?? 0,
        requests: now.requests - before.requests,
        refused: now.refused - before.refused,
        acknowledged: now.acknowledged - before.acknowledged
      })
      before = now
    })

    /** As a deployment does it: one that cannot say that it drains is taken from the balancer first. */
    const retire = Effect.fnUntraced(function*(gone: Service) {
      const { status } = yield* sendRequest(gone, "/readyz").pipe(
        Effect.catchTag("NoAnswer", () => Effect.succeed({ status: 0 })))
      const others = copies.filter((each) => each !== gone)
      if (status === 404) {
        use(others)
        yield* Effect.sleep("1 second")
      }
      yield* stopService(gone)
      use(others)
    })
    const replace = Effect.fnUntraced(function*(
      gone: Service,
      by: Effect.Effect<Service, ServiceFailed, Scope.Scope>
    ) {
      const fresh = yield* by
      use([...copies, fresh])
      yield* acknowledgedMore(heard, 5)
      yield* retire(gone)
      return fresh
    })

    const [first, second] = yield* Effect.all([older, older], { concurrency: 2 })
    use([first, second])
    yield* balanced(proxy)
    yield* underLoad(proxy, heard, options.clients, Effect.gen(function*() {
      yield* phase("older alone, two copies")
      const third = yield* newer
      yield* phase("newer comes up beside them and migrates")
      use([first, second, third])
      yield* phase("two older, one newer")
      yield* retire(first)
      yield* phase("one older, one newer")
      const fourth = yield* replace(second, newer)
      yield* phase("newer alone, two copies")
      const fifth = yield* replace(third, older)
      yield* phase("back: one newer, one older")
      yield* replace(fourth, older)
      yield* phase("older alone on the newer schema")
      yield* replace(fifth, newer)
      yield* phase("forward again: one older, one newer")
    }))
    const kept = yield* audit(cluster.url, proxy, heard, "two builds")
    const replaced: Replaced = { phases, heard, kept, again: proxy.counts.again }
    return replaced
  })
