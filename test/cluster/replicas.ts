import { Clock, Effect, Schedule } from "effect"
import { readFileSync } from "node:fs"
import { FeedbackResponse } from "../../src/domain/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { HealthResponse } from "../../src/domain/System.ts"
import { makeFront, preloaded, type Script } from "../faults/setup.ts"
import { lived } from "../support/builders.ts"
import { onServer, temporaryDirectory } from "../support/Databases.ts"
import type { Cluster } from "../support/PostgresCluster.ts"
import { sendRequest, requestJson, type Service, stopService } from "../support/Service.ts"
import { balanced, balancer } from "./balancer.ts"
import { acknowledgedMore, audit, copy, feedbackOn, type Heard, nothingHeard, underLoad } from "./drill.ts"

interface Card {
  readonly model_id: string
  readonly input_cost_per_mtok: number
  readonly output_cost_per_mtok: number
}

// The seam: the file is ours.
const { models } = JSON.parse(readFileSync(new URL("../../src/catalog/file/cards.json", import.meta.url), "utf8")) as {
  readonly models: ReadonlyArray<Card>
}

/** LiteLLM's list with every bundled model this much dearer; the other two sources are down. */
export const dearer = (factor: number): Script => (request, response) => {
  if (request.url?.includes("githubusercontent") !== true) response.writeHead(500).end("down")
  else {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(Object.fromEntries(
      models.map((card) => [card.model_id, {
        input_cost_per_token: card.input_cost_per_mtok * factor / 1e6,
        output_cost_per_token: card.output_cost_per_mtok * factor / 1e6
      }])
    )))
  }
  return "answered"
}

export const catalogVersion = (service: Service) =>
  Effect.map(requestJson(HealthResponse, service, "/v1/health"), ({ catalog }) => catalog.version)

const recommend = (service: Service, task: string, namespace: string) =>
  requestJson(RecommendResponse, service, "/v1/recommend", { task: { task, task_type: "code" }, namespace })

const reportTo = (service: Service, { recommendationId, recommendedModel }: RecommendResponse) =>
  requestJson(FeedbackResponse, service, "/v1/feedback", feedbackOn(recommendationId, recommendedModel.modelId))

/** Copies with a data directory each, whose price sources are the front. */
const sharing = (url: string, port: number) =>
  Effect.gen(function*() {
    return yield* copy(url, {
      ...preloaded, SEXTANT_DATA_DIR: yield* temporaryDirectory, SEXTANT_CATALOG_REFRESH: "on",
      FAULTS_FETCH: `http://127.0.0.1:${port}`
    })
  })

/** How long it takes until B recalls what was told at A, ms, over lanes that both have in their cache. */
const newsMs = Effect.fnUntraced(function*(a: Service, b: Service, lane: string) {
  const task = "Fix the failing unit test of the cart"
  for (const service of [a, b]) yield* recommend(service, task, lane)
  yield* reportTo(a, yield* recommend(a, task, lane))
  const toldMs = yield* Clock.currentTimeMillis
  yield* Effect.map(recommend(b, task, lane), ({ ranked }) => ranked.flatMap(({ evidence }) => lived(evidence)).length)
    .pipe(Effect.repeat({ until: (count) => count > 0, schedule: Schedule.spaced("20 millis") }))
  return (yield* Clock.currentTimeMillis) - toldMs
})

const refusals = ({ statuses }: Heard) =>
  [...statuses].flatMap(([kind, count]) => kind.endsWith(" 200") ? [] : [`${count} × ${kind}`])

const requests = ({ statuses }: Heard) => [...statuses.values()].reduce((total, count) => total + count, 0)

/** What two copies on one database do as one service, in figures: what, and how it came out. */
export const replicas = (cluster: Cluster, clients: number) =>
  Effect.gen(function*() {
    const lines: Array<readonly [what: string, result: string]> = []
    const front = yield* makeFront("http://127.0.0.1:9")
    front.state.script = dearer(1.25)
    const [a, b] = yield* Effect.all(
      [sharing(cluster.url, front.port), sharing(cluster.url, front.port)], { concurrency: 2 })

    const versions = yield* Effect.repeat(Effect.all([catalogVersion(a), catalogVersion(b)]), {
      until: ([one, other]) => one === other && front.heard.length >= 3,
      schedule: Schedule.spaced("100 millis"), times: 200
    })
    lines.push(["price sources asked by two copies, and their catalog versions",
      `${front.heard.length} requests to 3 sources; ${versions.join(" and ")}`])
    front.state.script = dearer(1.5)
    const agedMs = yield* Clock.currentTimeMillis
    yield* onServer(cluster.url, "update shared_prices set due_at = now()")
    const next = yield* Effect.repeat(Effect.all([catalogVersion(a), catalogVersion(b)]), {
      until: ([one, other]) => one === other && one !== versions[0],
      schedule: Schedule.spaced("50 millis"), times: 400
    })
    lines.push(["the interval over: sources asked, versions, until both had them",
      `${front.heard.length - 3} requests; ${next.join(" and ")}; ${(yield* Clock.currentTimeMillis) - agedMs} ms`])

    let accepted = 0
    for (let n = 0; n < 50; n++) {
      const asked = yield* recommend(n % 2 === 0 ? a : b, `Fix failing unit test ${n}`, "crossed")
      if ((yield* reportTo(n % 2 === 0 ? b : a, asked)).accepted) accepted++
    }
    lines.push(["50 recommendations of one copy reported at the other", `${accepted} accepted`])

    let isOne = 0
    for (let n = 0; n < 10; n++) {
      const { recommendationId, recommendedModel } = yield* recommend(a, `Fix failing unit test ${n}`, "repeated")
      const body = { ...feedbackOn(recommendationId, recommendedModel.modelId), idempotency_key: `once-${n}` }
      const answers = yield* Effect.forEach(Array.from({ length: 20 }), (_, i) =>
        sendRequest(i % 2 === 0 ? a : b, "/v1/feedback", body), { concurrency: "unbounded" })
      if (answers.every(({ status, text }) => status === 200 && text === answers[0]?.text)) isOne++
    }
    lines.push(["10 reports, each told 20 times at both copies at once", `${isOne} with one answer, word for word`])

    const times: Array<number> = []
    for (let n = 0; n < 20; n++) times.push(yield* newsMs(a, b, `lane-${n}`))
    times.sort((x, y) => x - y)
    lines.push(["told at one copy, recalled at the other (20 lanes in both caches)",
      `median ${times[10]} ms, longest ${times[19]} ms`])

    for (let n = 0; n < 100; n++) {
      const asked = yield* recommend(n % 2 === 0 ? a : b, `Fix failing unit test ${n}`, "reflected")
      yield* reportTo(n % 3 === 0 ? a : b, asked)
    }
    const made = yield* Effect.repeat(
      onServer<{ readonly due: number; readonly most: number; readonly all: number }>(cluster.url,
        `select count(*) filter (where reflected_at is null)::int as due, max(reflections)::int as most,
          count(*)::int as all from reflection where lane = 'sextant:reflected'`),
      { until: ([row]) => row?.due === 0 && row.all > 0, schedule: Schedule.spaced("100 millis"), times: 300 }
    )
    lines.push(["100 outcomes in one lane, told at both: reflections due, each made how often",
      `${made[0]?.all} due, at most ${made[0]?.most} time each, ${made[0]?.due} left`])
    const [counted] = yield* onServer<{ readonly outcomes: number; readonly rows: number }>(cluster.url,
      `select (select sum(outcomes)::int from outcome_record) as outcomes, (select count(*)::int from observation) as rows`)
    lines.push([`outcomes told so far: ${50 + 10 + 20 + 100}`,
      `${counted?.outcomes} counted, ${counted?.rows} observations`])

    const proxy = yield* balancer
    const rolled = nothingHeard()
    let copies: ReadonlyArray<Service> = [a, b]
    const use = (all: ReadonlyArray<Service>) => proxy.use(all.map(({ baseUrl }) => baseUrl))
    use(copies)
    yield* balanced(proxy)
    yield* underLoad(proxy, rolled, clients, Effect.gen(function*() {
      yield* acknowledgedMore(rolled, 20)
      for (const old of copies) {
        const fresh = yield* copy(cluster.url)
        copies = [...copies.filter((each) => each !== old), fresh]
        use([...copies, old])
        yield* acknowledgedMore(rolled, 20)
        yield* stopService(old)
        use(copies)
        yield* acknowledgedMore(rolled, 20)
      }
    }))
    lines.push(["both restarted one after the other under load",
      `${requests(rolled)} requests, ${refusals(rolled).join(", ") || "0 not answered with 200"}`])

    const killed = nothingHeard()
    let lostMs = 0
    yield* underLoad(proxy, killed, clients, Effect.gen(function*() {
      yield* acknowledgedMore(killed, 20)
      yield* (copies[0]?.kill("SIGKILL") ?? Effect.void)
      const began = yield* Clock.currentTimeMillis
      yield* acknowledgedMore(killed, 1)
      lostMs = (yield* Clock.currentTimeMillis) - began
      yield* acknowledgedMore(killed, 60)
    }))
    const { forgotten, lost } = yield* audit(cluster.url, proxy, killed)
    lines.push([`kill -9 of one under load of ${clients} clients`,
      `${requests(killed)} requests, ${refusals(killed).join(", ") || "0 not answered with 200"};`
      + ` next report acknowledged after ${lostMs} ms`])
    lines.push([`of ${killed.acknowledged.size} reports acknowledged then`,
      `${lost.length} lost; ${forgotten.length} of ${killed.recommended.size} recommendations without a row`])
    return lines
  })
