import { Context, Data, Effect, Layer, type Scope } from "effect"
import { type Browser, chromium, type Page } from "playwright-core"
import { existsSync } from "node:fs"
import { FeedbackResponse } from "../../../src/domain/feedback/Feedback.ts"
import { RecommendResponse } from "../../../src/domain/Recommendation.ts"
import { dataDirectory } from "../../support/Databases.ts"
import { acmeKey, canary, requestJson, runToEnd, sextant, type Service, ServiceFailed, startService, umbrellaKey } from "../../support/Service.ts"

/**
 * Debian's Chromium, without the windows that it draws for no one where that is here: a tab takes less than half of the
 * processor time. The suites that need it are skipped where both are missing.
 */
const executablePath = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((path) => existsSync(path))
export const hasChromium = executablePath !== undefined

/** The account that the demo plays in. */
export const demoKey = `sxt_demo_k1_${canary}`

/** The browser could not do what it was told. */
export class BrowserFailed extends Data.TaggedError("BrowserFailed")<{ readonly cause: unknown }> {
  override get message() {
    return String(this.cause)
  }
}

/** The account whose decisions are all in shadow. */
export const shadowKey = `sxt_shadow_k1_${canary}`

/** The account with a guarantee and a budget, and one decision. */
export const promisedKey = `sxt_promised_k1_${canary}`

export const told = <A>(act: () => Promise<A>): Effect.Effect<A, BrowserFailed> =>
  Effect.tryPromise({ try: act, catch: (cause) => new BrowserFailed({ cause }) })

const launched = Effect.acquireRelease(
  told(() =>
    chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      args: [
        "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync"
      ]
    })
  ),
  (browser) => Effect.promise(() => browser.close())
)

const script = (...args: ReadonlyArray<string>): Effect.Effect<string, ServiceFailed> =>
  Effect.flatMap(runToEnd(process.execPath, args, {}), ({ code, stderr, stdout }) =>
    code === 0
      ? Effect.succeed(stdout)
      : Effect.fail(new ServiceFailed({ message: `${args.join(" ")} ended with ${code}: ${stderr}` })))

/** Ten calls of every kind of end: reported with and without a bill, failed, and never heard of again. */
const tenDecisions = ({ baseUrl, key }: Service) =>
  told(async () => {
    const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
      const response = await fetch(`${baseUrl}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      if (!response.ok) throw new Error(`${path} answered ${response.status}`)
      return response.json()
    }
    for (let i = 0; i < 10; i++) {
      const advice = await post("/v1/recommend", { task: { task: `Secret task ${i}`, task_type: "code" } })
      if (i > 5) continue
      const { model_id: chosen } = advice["recommended_model"] as { readonly model_id: string }
      await post("/v1/feedback", {
        recommendation_id: advice["recommendation_id"],
        chosen_model_id: chosen,
        outcome: i === 2 ? "failure" : "success",
        evidence_source: "gate",
        ...(i % 2 === 0 ? { actual_cost_usd: 0.002 } : {})
      })
    }
  })

/** Two calls that ran the caller's default: one with its bill, and one that is not reported. */
const twoShadows = (service: Pick<Service, "baseUrl" | "key">) =>
  Effect.gen(function*() {
    const body = {
      task: { task: "Secret task", task_type: "code" }, shadow: true, baseline_model_id: "gpt-5",
      constraints: { candidate_models: ["gpt-5", "gpt-5-mini"] }
    }
    const advice = yield* requestJson(RecommendResponse, service, "/v1/recommend", body)
    yield* requestJson(RecommendResponse, service, "/v1/recommend", body)
    yield* requestJson(FeedbackResponse, service, "/v1/feedback", {
      recommendation_id: advice.recommendationId, chosen_model_id: "gpt-5", outcome: "success",
      evidence_source: "gate", actual_cost_usd: 0.03
    })
  })

/** A recommendation of an account that was given a guarantee and a budget before. */
export const promise = (service: Pick<Service, "baseUrl">) =>
  requestJson(RecommendResponse, { ...service, key: promisedKey }, "/v1/recommend", {
    task: { task: "Secret task", task_type: "code" }, cost_quality_tradeoff: 0,
    constraints: { candidate_models: ["gpt-5", "gpt-5-mini"] }
  })

/**
 * The real service with five accounts, empty, of ten decisions, of shadows, with a guarantee, and of the demo,
 * and a browser.
 */
export class Stage extends Context.Service<Stage, {
  readonly service: Service
  /** The data directory of the service. */
  readonly directory: string
  readonly browser: Browser
  /** What the demo said. */
  readonly demo: string
}>()("test/dashboard/Stage") {
  static readonly layer = Layer.effect(
    Stage,
    Effect.gen(function*() {
      // A bundle of another day would be tested instead of these sources.
      yield* script("scripts/build-dashboard.ts")
      yield* script("scripts/build-docs.ts")
      const directory = yield* dataDirectory
      const service = yield* startService({
        SEXTANT_DATA_DIR: directory,
        SEXTANT_BOOTSTRAP_KEYS: [acmeKey, umbrellaKey, demoKey, shadowKey, promisedKey].join(",")
      })
      yield* sextant([
        "account", "set", "--instance", "promised", "--guarantee-baseline", "gpt-5", "--guarantee-trials", "0", "--budget", "50/day"
      ], { SEXTANT_DATA_DIR: directory })
      yield* promise(service)
      yield* tenDecisions(service)
      yield* twoShadows({ ...service, key: shadowKey })
      const demo = yield* script("scripts/demo.ts", "--url", service.baseUrl, "--key", demoKey, "--calls", "150")
      return Stage.of({ service, directory, browser: yield* launched, demo })
    })
  )
}

export interface Opened {
  readonly page: Page
  /** Errors that the page said or threw, and requests to other hosts; empty for a page that behaves. */
  readonly troubles: ReadonlyArray<string>
}

interface Look {
  /** Where a proxy serves the service; by default the service itself. */
  readonly at?: string
  readonly width?: number
  readonly colorScheme?: "light" | "dark"
}

/** A tab at `path`, closed with the scope; a page that needs longer than 15 s for anything has failed. */
export const open = (path: string, { at, colorScheme = "light", width = 1_280 }: Look = {}) =>
  Effect.gen(function*(): Effect.fn.Return<Opened, BrowserFailed, Stage | Scope.Scope> {
    const { browser, service } = yield* Stage
    const baseUrl = at ?? service.baseUrl
    const context = yield* Effect.acquireRelease(
      told(() => browser.newContext({ colorScheme, viewport: { width, height: 900 } })),
      (context) => Effect.promise(() => context.close())
    )
    const page = yield* told(() => context.newPage())
    page.setDefaultTimeout(15_000)
    const troubles: Array<string> = []
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) troubles.push(message.text())
    })
    page.on("pageerror", (error) => troubles.push(error.message))
    page.on("request", (request) => {
      const isOwn = request.url().startsWith(`${baseUrl}/`) || request.url().startsWith("data:")
      if (!isOwn && !(path.startsWith("file:") && request.isNavigationRequest())) {
        troubles.push(`asked ${request.url()}`)
      }
    })
    yield* told(() => page.goto(path.startsWith("file:") ? path : `${baseUrl}${path}`))
    return { page, troubles }
  })

type Act<E, R> = (look: string) => Effect.Effect<unknown, E, R>

/** Gives the page looks in turn, and does `act` in each. It decides on none when it loads: it is loaded once. */
export const inLooks = <E, R>(
  page: Page,
  looks: ReadonlyArray<readonly ["light" | "dark", width: number]>,
  act: Act<E, R>
): Effect.Effect<void, E | BrowserFailed, R> =>
  Effect.forEach(looks, ([colorScheme, width]) =>
    Effect.andThen(
      told(async () => {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 900 })
      }),
      act(`${colorScheme}, ${width} wide`)
    ), { discard: true })

/** Both colour schemes at every width. */
export const inEveryLook = <E, R>(page: Page, widths: ReadonlyArray<number>, act: Act<E, R>) =>
  inLooks(page, (["light", "dark"] as const).flatMap((scheme) => widths.map((width) => [scheme, width] as const)), act)

/** Each colour scheme at one width, for what takes seconds: colours go by the scheme, and places by the width. */
export const inBothSchemes = <E, R>(page: Page, wide: number, narrow: number, act: Act<E, R>) =>
  inLooks(page, [["light", wide], ["dark", narrow]], act)

/** Enters a key, and waits for the figures. */
export const enter = (page: Page, key: string) =>
  told(async () => {
    await page.fill("#key", key)
    await page.click("#key-form button")
    await page.waitForSelector("main section")
  })
