import { assert, describe, it, layer } from "@effect/vitest"
import axe from "axe-core"
import { Effect, Schema } from "effect"
import type { Page } from "playwright-core"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer, request, type Server } from "node:http"
import { join } from "node:path"
import { pageOf } from "../../../packages/backtest/src/page/Page.ts"
import { money } from "../../../packages/dashboard/src/Figures.ts"
import { isKnown, tiersOf } from "../../../packages/dashboard/src/SavingTiers.ts"
import { tabs } from "../../../packages/dashboard/src/Selection.ts"
import { AdviceResponse } from "../../../src/domain/reports/Advice.ts"
import { CallsResponse, DashboardResponse } from "../../../src/domain/reports/Dashboard.ts"
import { DecisionResponse } from "../../../src/domain/reports/DecisionReport.ts"
import { CalibrationResponse, SavingsResponse, SavingsSummary } from "../../../src/domain/reports/Report.ts"
import { laneOf } from "../../../src/domain/Scope.ts"
import { acmeKey, requestJson, sextant, umbrellaKey } from "../../support/Service.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { callOf, randomCalls, reportOn } from "../backtest/logs.ts"
import { demoKey, enter, hasChromium, inBothSchemes, inEveryLook, inLooks, open, promise, promisedKey, shadowKey, Stage, told } from "./browser.ts"

const slow = { excludeTestServices: true, timeout: "120 seconds" } as const

/** The first amount in a text, in US dollars. */
const amountIn = (text: string): number =>
  Number(/[\u2212]?\$[\d.,]+/.exec(text)?.[0].replace("\u2212", "-").replace(/[$,]/g, "") ?? Number.NaN)

const textsOf = (page: Page, selector: string) => told(() => page.locator(selector).allTextContents())

/** Figures without the digits that go by the order in which the database sums. */
const rounded = (figures: unknown): unknown =>
  JSON.parse(JSON.stringify(figures, (_, value) => typeof value === "number" ? Number(value.toPrecision(9)) : value))

/**
 * The findings of axe, of every severity, with the elements that they concern.
 *
 * @param hasKnownColours whether the colours were judged on another page of the same style
 */
const findings = (page: Page, hasKnownColours = false) =>
  told(async () => {
    // Half a megabyte of program, which a page that is judged in several looks has already.
    if (!await page.evaluate(() => "axe" in window)) await page.evaluate(axe.source)
    const { violations } = await page.evaluate((enabled) =>
      (window as unknown as { readonly axe: typeof axe }).axe.run({
        resultTypes: ["violations"], rules: { "color-contrast": { enabled } }
      }), !hasKnownColours)
    return violations
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`)
  })

/** How much wider the page is than its window, pixels. */
const overflow = (page: Page) =>
  told(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth))

/** Opens what is folded away, which is part of the page too. */
const unfold = (page: Page) =>
  told(() => page.evaluate(() => document.querySelectorAll("details").forEach((each) => each.open = true)))

/** The rows of the calls that are listed. */
const callRows = "section[aria-labelledby=decisions] tbody tr"

/** Selects a tab, and waits until it is shown. */
const openTab = (page: Page, words: string) =>
  told(async () => {
    await page.click(`.tabs a:has-text("${words}")`)
    await page.waitForSelector(`.tabs a[aria-current]:has-text("${words}")`)
    await page.waitForSelector("main:not([aria-busy]) section")
  })

/** How the focused element is known, and whether its focus can be seen. */
const focused = (page: Page) =>
  told(() =>
    page.evaluate(() => {
      const at = document.activeElement
      if (at === null) return { name: "", isVisible: false }
      const { outlineStyle, outlineWidth } = getComputedStyle(at)
      return {
        name: at.id || at.textContent?.trim().slice(0, 40) || at.tagName,
        isVisible: outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0
      }
    })
  )

/** The URL of a proxy that takes a path off and passes the rest on. */
const prefixed = (baseUrl: string) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const proxy = createServer((asked, answer) => {
        const path = /^\/sextant(\/.*)$/.exec(asked.url ?? "")?.[1]
        if (path === undefined) return void answer.writeHead(404).end()
        const { hostname, port } = new URL(baseUrl)
        asked.pipe(request({ hostname, port, path, method: asked.method, headers: asked.headers }, (found) => {
          found.pipe(answer.writeHead(found.statusCode ?? 502, found.headers))
        }))
      })
      proxy.listen(0, "127.0.0.1", () => resume(Effect.succeed(proxy)))
    }),
    (proxy) => Effect.sync(() => proxy.close().closeAllConnections())
  ).pipe(Effect.map((proxy) => {
    const address = proxy.address()
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/sextant`
  }))

const suite = () =>
  layer(Stage.layer, slow)("the dashboard in Chromium", (it) => {
    it.effect("requests a key, stores it in the tab, and forgets it", () =>
      Effect.gen(function*() {
        const { page, troubles } = yield* open("/dashboard")
        assert.isTrue(yield* told(() => page.locator("#key-form").isVisible()))
        assert.strictEqual(yield* told(() => page.locator("#controls").count()), 0)
        yield* enter(page, acmeKey)
        yield* told(() => page.reload())
        yield* told(() => page.waitForSelector("main section"))
        assert.notInclude(page.url(), "sxt_")
        const kept = () => told(() => page.evaluate(() => sessionStorage.length + localStorage.length))
        assert.strictEqual(yield* kept(), 1)
        assert.deepStrictEqual(yield* told(() => page.context().cookies()), [])
        yield* told(() => page.click("#forget"))
        assert.strictEqual(yield* kept(), 0)
        assert.strictEqual(yield* told(() => page.locator("main section").count()), 0)
        assert.deepStrictEqual(troubles, [])
      }))

    it.effect("reports an invalid key and requests another, also for a text that no request could carry", () =>
      Effect.gen(function*() {
        const { page } = yield* open("/dashboard")
        for (const text of [`${acmeKey}x`, "sxt_…", "x".repeat(100_000), " "]) {
          yield* told(async () => {
            await page.reload()
            await page.fill("#key", text)
            await page.click("#key-form button")
            await page.waitForSelector("#problem")
          })
          assert.include(yield* told(() => page.locator("#problem").textContent()), "not valid")
          assert.isTrue(yield* told(() => page.locator("#key-form").isVisible()))
          assert.strictEqual((yield* focused(page)).name, "key")
          assert.strictEqual(yield* told(() => page.evaluate(() => sessionStorage.length)), 0)
        }
      }))

    it.effect("shows the figures that the API gives, on every tab", () =>
      Effect.gen(function*() {
        const { service } = yield* Stage
        const account = { ...service, key: demoKey }
        const { comparison, summary, tasks } = yield* requestJson(SavingsResponse, account, "/v1/savings")
        const { reports: [global] } = yield* requestJson(CalibrationResponse, account, "/v1/calibration")
        const dashboard = yield* requestJson(DashboardResponse, account, "/v1/dashboard")
        const { rows } = yield* requestJson(AdviceResponse, account, "/v1/advice")
        const { page, troubles } = yield* open("/dashboard")
        yield* enter(page, demoKey)
        const [spent = "", saved = "", , finished = ""] = yield* textsOf(page, ".cards .figure")
        assert.closeTo(amountIn(spent), summary.spend.costUsd, 0.006)
        assert.closeTo(amountIn(saved), summary.followed?.savingsUsd ?? NaN, 0.006)
        assert.closeTo(amountIn(finished), tasks?.costPerFinishedUsd ?? NaN, 0.006)
        const headline = yield* told(() => page.locator("#headline").innerText())
        assert.closeTo(amountIn(headline), summary.spend.costUsd, 0.51)
        // A gain over a model without a known cost is an unchecked estimate, and in no sum.
        const gains = [summary.followed, summary.followed?.listPrices].filter((each) => each != null)
          .filter(({ basis, savingsUsd }) => isKnown({ basis, savings_usd: savingsUsd }))
        const all = summary.spend.costUsd + gains.reduce((total, { savingsUsd }) => total + savingsUsd, 0)
        assert.closeTo(amountIn(headline.split("; ")[1] ?? ""), all, 0.51)
        assert.include(headline, comparison?.difference == null ? "success not compared yet" : "points")
        if (rows[0] !== undefined) assert.include(yield* told(() => page.locator(".ask code").first().innerText()), rows[0].command.slice(8))
        const parts = yield* textsOf(page, "section[aria-labelledby=spend] .bar title")
        assert.closeTo(parts.reduce((sum, text) => sum + amountIn(text), 0), summary.spend.costUsd, 0.05)
        const days = yield* textsOf(page, "section[aria-labelledby=spend] tbody td:nth-of-type(2)")
        assert.closeTo(days.reduce((sum, text) => sum + amountIn(text), 0), summary.spend.costUsd, 0.02)
        const teams = yield* textsOf(page, "section[aria-labelledby=teams] tbody td:nth-of-type(2)")
        assert.closeTo(teams.reduce((sum, text) => sum + amountIn(text), 0), summary.spend.costUsd, 0.03)
        yield* openTab(page, "Quality")
        const cells = yield* textsOf(page, ".pair table:has(th:text('Task type')) tbody tr:first-child td")
        assert.deepStrictEqual([cells[0], cells[2]], [String(global?.n), `${(100 * (global?.ece ?? NaN)).toFixed(1)} points`])
        yield* openTab(page, "Models")
        const timed = yield* textsOf(page, "section[aria-labelledby=speed] tbody th, section[aria-labelledby=speed] tbody td:nth-of-type(1)")
        assert.deepStrictEqual(timed, dashboard.modelCalls.flatMap(({ modelId, n }) => [modelId, String(n)]))
        assert.lengthOf(yield* textsOf(page, "section[aria-labelledby=models] > details tbody tr"), dashboard.clusterModels.length)
        yield* openTab(page, "Decisions")
        assert.lengthOf(yield* textsOf(page, callRows), 50)
        assert.deepStrictEqual(troubles, [])
      }))

    it.effect("says one saving everywhere, of all and of one namespace: page, file, report, demo, group", () =>
      Effect.gen(function*() {
        const { demo, directory, service } = yield* Stage
        const account = { ...service, key: demoKey }
        const savingsOf = (query: string) => requestJson(SavingsResponse, account, `/v1/savings?${query}`)
        const grouped = yield* savingsOf("group_by=lane")
        const { page, troubles } = yield* open("/dashboard")
        yield* enter(page, demoKey)
        for (const namespace of [null, "demo-support"]) {
          const { summary } = yield* savingsOf(namespace === null ? "" : `namespace=${namespace}`)
          // A namespace says of itself what its group does.
          const group = namespace === null ? grouped : grouped.groups.find(({ key }) => key === laneOf(namespace))
          assert.deepStrictEqual(rounded(group?.summary), rounded(summary))
          if (namespace !== null) {
            yield* told(async () => {
              await page.selectOption("#namespace", namespace)
              await page.waitForSelector(`.window:has-text("${namespace}")`)
            })
          }
          const tiers = tiersOf(Schema.encodeSync(SavingsSummary)(summary))
          const known = tiers.filter(({ saved }) => isKnown(saved))
          assert.lengthOf(tiers, 2)
          assert.isAtLeast(known.length, 1)
          const amounts = known.map(({ saved }) => money(saved.savings_usd))
          const shown = (yield* textsOf(page, ".cards li:nth-child(2)")).join()
          for (const amount of amounts) assert.include(shown, amount)
          // Two days when midnight passed meanwhile: their sum is compared, rounded as they are.
          for (const [index, { saved }] of known.entries()) {
            const cells = yield* textsOf(page, `section[aria-labelledby=spend] tbody td:nth-of-type(${4 + index})`)
            assert.closeTo(cells.reduce((sum, text) => sum + amountIn(text), 0), saved.savings_usd, 0.012)
          }
          const place = namespace === null ? [] : ["--namespace", namespace]
          const { stdout } = yield* sextant(["report", "--html", "-", "--instance", "demo", ...place], { SEXTANT_DATA_DIR: directory })
          for (const amount of amounts) assert.include(stdout, amount)
          const headline = yield* told(() => page.locator("#headline").innerText())
          assert.include(stdout.replaceAll("\u00a0", " "), headline.replaceAll("\u00a0", " "))
          if (namespace === null) assert.include(demo.replaceAll("\u00a0", " "), headline.replaceAll("\u00a0", " "))
        }
        assert.deepStrictEqual(troubles, [])
      }), 120_000)

    it.effect("filters by namespace and window, and still lists the other namespaces", () =>
      Effect.gen(function*() {
        const { service } = yield* Stage
        const { page } = yield* open("/dashboard")
        yield* enter(page, demoKey)
        const wanted = yield* requestJson(SavingsResponse, { ...service, key: demoKey }, "/v1/savings?namespace=demo-platform")
        yield* told(async () => {
          await page.selectOption("#namespace", "demo-platform")
          await page.waitForSelector(`#status:has-text("${wanted.summary.estimated.n} recommendations")`)
          await page.selectOption("#days", "7")
          await page.waitForSelector(".window:has-text('last 7 days')")
        })
        assert.strictEqual((yield* textsOf(page, "#namespace option")).length, 2)
        // A link shows what its sender saw.
        assert.include(page.url(), "?namespace=demo-platform&days=7")
        yield* told(async () => {
          await page.reload()
          await page.waitForSelector(".window:has-text('last 7 days, demo-platform')")
          await page.goto(page.url().replace(/\?.*/, ""))
          await page.click("section[aria-labelledby=teams] a:has-text('demo-platform')")
          await page.waitForSelector(".window:has-text('last 30 days, demo-platform')")
          await page.goBack()
          await page.waitForSelector(".window:has-text('all namespaces')")
          await page.click("section[aria-labelledby=spend] summary")
          await page.click("section[aria-labelledby=spend] tbody a >> nth=-1")
          await page.waitForSelector("#from")
          await page.waitForSelector("section[aria-labelledby=decisions]")
          await page.fill("#tag", "no such tag")
          await page.press("#tag", "Enter")
          await page.waitForSelector("main:has-text('There was no recommendation')")
        })
        assert.match(page.url(), /\?tab=decisions&dates=[\d-]+%2F[\d-]+&tag=no\+such\+tag/)
        // Dates begin as the days that were shown.
        yield* told(async () => {
          await page.goto(page.url().replace(/\?.*/, "?days=7"))
          await page.waitForSelector(".window:has-text('last 7 days')")
          await page.selectOption("#days", "dates")
          await page.waitForSelector(".window:has-text(', UTC')")
        })
        assert.match(page.url(), /\?dates=[\d-]+%2F[\d-]+$/)
      }))

    it.effect("searches calls by outcome and model, and opens one by its id", () =>
      Effect.gen(function*() {
        const { service } = yield* Stage
        const account = { ...service, key: demoKey }
        const { page, troubles } = yield* open("/dashboard?tab=decisions")
        yield* enter(page, demoKey)
        const { next } = yield* requestJson(CallsResponse, account, "/v1/calls")
        yield* told(async () => {
          await page.click("a:has-text('Older')")
          await page.waitForSelector("a:has-text('Newest')")
        })
        assert.include(page.url(), `before=${next}`)
        yield* told(async () => {
          await page.selectOption("#outcome", "failure")
          await page.click("#search button")
          await page.waitForSelector(`${callRows}:has-text('succeeded')`, { state: "detached" })
        })
        const { decisions } = yield* requestJson(CallsResponse, account, "/v1/calls?outcome=failure")
        const found = yield* textsOf(page, `${callRows} [data-label=Outcome]`)
        assert.lengthOf(found, decisions.length)
        for (const words of found) assert.include(words, "✗ failed")
        const [first] = decisions
        yield* told(async () => {
          await page.fill("#recommendation", first?.recommendationId ?? "")
          await page.press("#recommendation", "Enter")
          await page.waitForSelector("#candidates")
          await page.goBack()
          await page.waitForSelector(`${callRows}:has-text('failed')`)
        })
        assert.deepStrictEqual(yield* findings(page), [])
        assert.deepStrictEqual(troubles, [])
      }))

    it.effect("groups by tag, and leads from a name to its figures, and from a count or column to calls", () =>
      Effect.gen(function*() {
        const { service } = yield* Stage
        const { page, troubles } = yield* open("/dashboard")
        yield* enter(page, demoKey)
        const inList = () => textsOf(page, `${callRows} [data-label=Namespace]`)
        yield* told(async () => {
          await page.click("section[aria-labelledby=teams] tr:has-text('demo-platform') td >> nth=0 >> a")
          await page.waitForSelector(callRows)
          await page.waitForSelector("main:not([aria-busy])")
        })
        const { decisions } = yield* requestJson(CallsResponse, { ...service, key: demoKey }, "/v1/calls?namespace=demo-platform")
        const listed = yield* inList()
        assert.lengthOf(listed, decisions.length)
        assert.deepStrictEqual([...new Set(listed)], ["demo-platform"])
        assert.include(page.url(), "?tab=decisions&namespace=demo-platform")
        yield* told(async () => {
          await page.goto(page.url().replace(/\?.*/, "?by=tag"))
          await page.waitForSelector("section[aria-labelledby=teams] caption:has-text('By tag')")
          await page.click("section[aria-labelledby=teams] a:has-text('payments')")
          await page.waitForSelector(".window:has-text('tag payments')")
        })
        assert.match(page.url(), /\?tag=payments&by=tag$/)
        yield* told(async () => {
          await page.click("section[aria-labelledby=spend] [data-state]:has(> .band) >> nth=-1")
          await page.waitForSelector(callRows)
          await page.waitForSelector("main:not([aria-busy])")
        })
        assert.match(page.url(), /\?tab=decisions&dates=[\d-]+%2F[\d-]+&tag=payments&by=tag$/)
        assert.deepStrictEqual([...new Set(yield* inList())], ["demo-checkout"])
        assert.deepStrictEqual(troubles, [])
      }))

    it.effect("says for a point of the plane which setting it is, and for one point at a time", () =>
      Effect.gen(function*() {
        const { page, troubles } = yield* open("/dashboard?tab=what-if")
        yield* enter(page, demoKey)
        const opened = () => textsOf(page, ".choices details[open]")
        yield* told(() => page.locator("[data-opens='choose-slider-10'] path").dispatchEvent("click"))
        assert.include((yield* opened()).join(), "\"cost_quality_tradeoff\": 10")
        yield* told(() => page.locator("[data-opens^='choose-value-'] path").first().dispatchEvent("click"))
        const [only = "", ...others] = yield* opened()
        assert.match(only, /"success_value_usd": [\d.e-]+npm run -s sextant -- account set --instance demo /)
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(troubles, [])
      }))

    it.effect("states what is not known of ten decisions, and never shows a task", () =>
      Effect.gen(function*() {
        const { page, troubles } = yield* open("/dashboard")
        yield* enter(page, acmeKey)
        yield* unfold(page)
        const text = yield* told(() => page.locator("main").innerText())
        assert.include(text, "Three steps to figures that hold")
        assert.include(text, "Name the model that you would otherwise use: 0 of 10")
        assert.include(text, "No request followed the advice, named the model you would otherwise use")
        assert.deepStrictEqual(yield* findings(page), [])
        yield* openTab(page, "Decisions")
        assert.lengthOf(yield* textsOf(page, callRows), 10)
        assert.notInclude(yield* told(() => page.content()), "Secret task")
        assert.deepStrictEqual(troubles, [])
        assert.deepStrictEqual(yield* findings(page), [])
      }))

    it.effect("claims no saving where every decision was asked in shadow, and lists them as such", () =>
      Effect.gen(function*() {
        const { page, troubles } = yield* open("/dashboard")
        yield* enter(page, shadowKey)
        const text = yield* told(() => page.locator("main").innerText())
        assert.include(text, "Asked in shadow")
        assert.include(text, "2 recommendations in this window")
        assert.notInclude(text, "Estimated saving")
        assert.notInclude(text, "Nothing to report yet")
        yield* openTab(page, "Decisions")
        const decisions = yield* textsOf(page, callRows)
        assert.lengthOf(decisions.filter((each) => each.includes("asked in shadow")), 2)
        assert.include(decisions.join(), "with your default gpt-5")
        assert.include(yield* told(() => page.locator("#status").innerText()), "2 recommendations")
        assert.deepStrictEqual(troubles, [])
        assert.deepStrictEqual(yield* findings(page), [])
      }))

    it.effect("shows the first steps to an empty account", () =>
      Effect.gen(function*() {
        const { page, troubles } = yield* open("/dashboard")
        yield* enter(page, umbrellaKey)
        const text = yield* told(() => page.locator("main").innerText())
        assert.include(text, "Nothing to report yet")
        assert.include(text, "npm run demo")
        assert.deepStrictEqual(troubles, [])
        assert.deepStrictEqual(yield* findings(page), [])
      }))

    it.effect("has no serious finding of axe and no sideways scroll in either scheme, wide or narrow", () =>
      Effect.gen(function*() {
        const { page, troubles } = yield* open("/dashboard")
        const isSound = (look: string) =>
          Effect.map(findings(page), (found) => assert.deepStrictEqual(found, [], look))
        yield* inBothSchemes(page, 1_280, 360, isSound)
        yield* enter(page, demoKey)
        for (const words of Object.values(tabs)) {
          yield* openTab(page, words)
          yield* unfold(page)
          yield* inBothSchemes(page, 1_280, 360, (look) => isSound(`${words}, ${look}`))
          yield* inEveryLook(page, [1_280, 360], (look) =>
            Effect.map(overflow(page), (over) => assert.isAtMost(over, 0, `${words}, ${look}`)))
        }
        assert.deepStrictEqual(troubles, [])
      }))

    it.effect("gives every chart a name and a table, and draws it dark when the reader switches", () =>
      Effect.gen(function*() {
        const { page, troubles } = yield* open("/dashboard")
        yield* enter(page, demoKey)
        const colours = () =>
          told(() => page.evaluate(() => [".mark", ".bar", ".label"].map((drawn) => {
            const at = document.querySelector(`main svg ${drawn}`)
            return at === null ? "missing" : getComputedStyle(at).fill
          })))
        const light = yield* colours()
        yield* told(() => page.emulateMedia({ colorScheme: "dark" }))
        const dark = yield* colours()
        for (const [index, colour] of dark.entries()) {
          assert.match(colour, /^rgb/)
          assert.notStrictEqual(colour, light[index])
        }
        assert.deepStrictEqual(troubles, [])
        const charts: Array<{ readonly label: string | null; readonly hasTable: boolean }> = []
        for (const words of Object.values(tabs)) {
          yield* openTab(page, words)
          charts.push(...yield* told(() =>
            page.evaluate(() => [...document.querySelectorAll("[role=img]")].map((drawn) => ({
              label: drawn.getAttribute("aria-label"),
              hasTable: drawn.closest("figure")?.querySelector("details table caption") !== null
            })))))
        }
        assert.isAtLeast(charts.length, 3)
        for (const { hasTable, label } of charts) assert.isTrue(label !== null && hasTable, String(label))
      }))

    it.effect("can be used with the keyboard alone, and the focus is always visible", () =>
      Effect.gen(function*() {
        const { page } = yield* open("/dashboard")
        const press = (key: string) => told(() => page.keyboard.press(key))
        yield* press("Tab")
        yield* press("Tab")
        assert.strictEqual((yield* focused(page)).name, "key")
        yield* told(() => page.keyboard.type(demoKey))
        yield* press("Enter")
        yield* told(() => page.waitForSelector("main section"))
        // The focus went to the report; the tabs and the controls are before it.
        for (const name of [...Object.values(tabs).reverse(), "forget", "Refresh", "user", "tag", "model", "days", "namespace"]) {
          yield* press("Shift+Tab")
          assert.strictEqual((yield* focused(page)).name, name)
        }
        yield* told(() => page.keyboard.type("demo-su"))
        yield* told(() => page.waitForSelector(".window:has-text('demo-support')"))
        assert.strictEqual(yield* told(() => page.inputValue("#namespace")), "demo-support")
        const walked: Array<string> = []
        // No page of this size has so many stops.
        for (let stops = 0; stops < 200; stops++) {
          yield* press("Tab")
          const { isVisible, name } = yield* focused(page)
          if (name === "BODY" || walked.includes("the API")) break
          assert.isTrue(isVisible, `the focus on ${name}`)
          walked.push(name)
          if (name === "The same as a table") yield* press("Enter")
        }
        for (const stop of ["days", "Refresh", "forget", "The same as a table", "the API"]) assert.include(walked, stop)
        assert.isAtLeast(yield* told(() => page.locator("details[open] table").count()), 1)
        for (let stops = 0; stops < 200 && (yield* focused(page)).name !== "forget"; stops++) yield* press("Shift+Tab")
        yield* press("Enter")
        assert.strictEqual((yield* focused(page)).name, "key")
      }))

    it.effect("keeps the focus in the report where new figures replace what had it", () =>
      Effect.gen(function*() {
        const { page } = yield* open("/dashboard")
        yield* enter(page, demoKey)
        let answer: () => void = () => {}
        const asked = new Promise<void>((done) => {
          answer = done
        })
        yield* told(async () => {
          await page.route("**/v1/advice?days=7", async (route) => {
            await asked
            await route.continue()
          })
          await page.selectOption("#days", "7")
          await page.focus("main summary")
          answer()
          await page.waitForSelector(".window:has-text('last 7 days')")
        })
        assert.isTrue(yield* told(() => page.evaluate(() => document.activeElement?.closest("#report") != null)))
      }))

    it.effect("explains a decision on its own page, by link, URL and keyboard, and never shows its task", () =>
      Effect.gen(function*() {
        const { service } = yield* Stage
        const { page, troubles } = yield* open("/dashboard?tab=decisions")
        yield* enter(page, acmeKey)
        const link = yield* told(() => page.locator("a[href^='#decision/']").first().getAttribute("href"))
        const id = (link ?? "").replace("#decision/", "")
        const { decision } = yield* requestJson(DecisionResponse, { ...service, key: acmeKey }, `/v1/decision?recommendation_id=${id}`)
        yield* unfold(page)
        yield* told(() => page.locator("a[href^='#decision/']").first().focus())
        yield* told(() => page.keyboard.press("Enter"))
        yield* told(() => page.waitForSelector("#candidates"))
        assert.strictEqual((yield* focused(page)).name, "report")
        yield* unfold(page)
        const text = yield* told(() => page.locator("main").innerText())
        assert.include(text, `Why ${decision?.recommendedModelId}`)
        assert.strictEqual(yield* told(() => page.title()), `Why ${decision?.recommendedModelId} – Sextant`)
        assert.include(text, "What would change it")
        for (const { modelId } of decision?.candidates ?? []) assert.include(text, modelId)
        const words = yield* textsOf(page, "#candidates ~ figure tbody tr")
        assert.lengthOf(words, decision?.candidates.length ?? 0)
        assert.deepStrictEqual(yield* findings(page), [])
        yield* told(() => page.reload())
        yield* told(() => page.waitForSelector("#candidates"))
        assert.notInclude(yield* told(() => page.content()), "Secret task")
        yield* told(() => page.click("text=All figures"))
        yield* told(() => page.waitForSelector("main section:not(:has(#candidates)) >> nth=0"))
        yield* told(() => page.waitForSelector("#candidates", { state: "detached" }))
        assert.notInclude(yield* told(() => page.title()), "Why")
        assert.deepStrictEqual(troubles, [])
      }))

    it.effect("says that a link names no decision, without its words and without a request for it", () =>
      Effect.gen(function*() {
        const { page, troubles } = yield* open("/dashboard#decision/")
        yield* enter(page, acmeKey)
        for (const id of ["", "%00", "Your-key-has-expired", "0".repeat(36), `${"-".repeat(36)}`]) {
          yield* told(async () => {
            await page.goto(page.url().replace(/#.*/, `#decision/${id}`))
            await page.reload()
            await page.waitForSelector("main section")
          })
          const shown = yield* told(() => page.locator("main").innerText())
          assert.include(shown, "No such decision")
          assert.include(shown, "The link is incomplete or misspelt")
          assert.notInclude(shown, "expired")
          assert.strictEqual(yield* told(() => page.locator("#problem").count()), 0)
          assert.deepStrictEqual(troubles, [])
        }
      }))

    it.effect("says that an account has no decision of an id, also where another account has it", () =>
      Effect.gen(function*() {
        const { page: own } = yield* open("/dashboard?tab=decisions")
        yield* enter(own, acmeKey)
        const link = yield* told(() => own.locator("a[href^='#decision/']").first().getAttribute("href"))
        const { page, troubles } = yield* open(`/dashboard${link}`)
        yield* enter(page, umbrellaKey)
        assert.include(yield* told(() => page.locator("main").innerText()), "No such decision")
        assert.notInclude(yield* told(() => page.locator("main").innerText()), "Why ")
        assert.deepStrictEqual(yield* findings(page), [])
        assert.deepStrictEqual(troubles, [])
      }))

    it.effect("exports what it shows as CSV", () =>
      Effect.gen(function*() {
        const { service } = yield* Stage
        const { page, troubles } = yield* open("/dashboard")
        yield* enter(page, demoKey)
        const shown = yield* requestJson(DashboardResponse, { ...service, key: demoKey }, "/v1/dashboard")
        const exported = (name: string) =>
          told(async () => {
            const [download] = await Promise.all([
              page.waitForEvent("download"), page.click(`section[aria-labelledby=${name}] button.export`)
            ])
            return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") }
          })
        assert.match((yield* exported("spend")).text, /"summary_followed_savings_usd",.*"summary_followed_list_prices_savings_usd"/)
        yield* openTab(page, "Decisions")
        const { name, text } = yield* exported("decisions")
        assert.strictEqual(name, "sextant-decisions-30-days.csv")
        assert.isTrue(text.startsWith("\ufeff\"recommendation_id\","))
        for (const { recommendationId } of shown.decisions) assert.include(text, `"${recommendationId}"`)
        yield* openTab(page, "Models")
        const models = (yield* exported("models")).text.trim().split("\r\n")
        assert.lengthOf(models, shown.clusterModels.length + 1)
        yield* openTab(page, "What if")
        assert.match((yield* exported("policies")).text, /\r\n"deployed",/)
        assert.deepStrictEqual(troubles, [])
      }))

    it.effect("moves nothing after it is shown, and begins with paragraphs of at most two lines", () =>
      Effect.gen(function*() {
        for (const width of [390, 900, 1_400]) {
          const { page } = yield* open("/dashboard", { width })
          yield* told(() => page.evaluate(() => {
            const seen = window as unknown as { shift: number }
            seen.shift = 0
            new PerformanceObserver((list) => {
              // A shift within half a second of an input is that input's doing.
              for (const entry of list.getEntries() as unknown as ReadonlyArray<{ hadRecentInput: boolean; value: number }>) {
                if (!entry.hadRecentInput) seen.shift += entry.value
              }
            }).observe({ type: "layout-shift", buffered: true })
          }))
          yield* enter(page, demoKey)
          const { long, shift } = yield* told(() => page.evaluate(async () => {
            await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
            const { shift } = window as unknown as { shift: number }
            const long = [...document.querySelectorAll("header p, .first .cards p, .window")].filter((each) =>
              each.getBoundingClientRect().height > 2.4 * Number.parseFloat(getComputedStyle(each).lineHeight))
            return { long: long.map(({ textContent }) => textContent), shift }
          }))
          assert.deepStrictEqual(long, [], `${width} wide`)
          assert.isBelow(shift, 0.01, `${width} wide`)
        }
      }))

    it.effect("is summed up by `sextant report` on a page without scripts, from storage and service alike", () =>
      Effect.gen(function*() {
        const { directory, service } = yield* Stage
        const { health, summary } = yield* requestJson(SavingsResponse, { ...service, key: demoKey }, "/v1/savings?days=7")
        const folder = temporaryFolder()
        const files = [join(folder, "storage.html"), join(folder, "service.html")] as const
        const [unknown, unnamed, ...written] = yield* Effect.all([
          sextant(["report", "--html", "-", "--instance", "nobody"], { SEXTANT_DATA_DIR: directory }),
          sextant(["report", "--html", "-"], {}),
          sextant(["report", "--html", files[0], "--instance", "demo"], { SEXTANT_DATA_DIR: directory }),
          sextant(["report", "--html", files[1], "--url", service.baseUrl], { SEXTANT_KEY: demoKey })
        ], { concurrency: 2 })
        assert.deepStrictEqual(written.map(({ code, stdout }) => [code, stdout.split("\n")[0]?.split(": ")[1]]), [
          [0, `${health.recommendations} recommendations`], [0, `${health.recommendations} recommendations`]
        ])
        const [needed = [], others] = written.map(({ stdout }) => stdout.trimEnd().split("\n").slice(1))
        assert.deepStrictEqual(needed, others)
        assert.isNotEmpty(needed)
        assert.isAtMost(needed.length, 3)
        for (const each of needed) assert.match(each, /^[a-z, ]+: [^ ]+ and [^ ]+: (about|over|told apart)/)
        assert.include(unknown.stderr, "the window has no recommendation of this account")
        assert.include(unknown.stdout, "There was no recommendation in this window")
        assert.deepStrictEqual([unnamed.code, unnamed.stdout], [1, ""])
        assert.include(unnamed.stderr, "Say whose report it is")
        const [ofStorage, ofService] = files.map((path) => readFileSync(path, "utf8").replace(/as of [^,]+, [^,]+ UTC/, ""))
        assert.strictEqual(ofStorage, ofService)
        for (const width of [390, 1_400]) {
          const { page, troubles } = yield* open(`file://${files[0]}`, { width })
          assert.deepStrictEqual(yield* findings(page), [])
          assert.isAtMost(yield* overflow(page), 0)
          assert.closeTo(amountIn((yield* textsOf(page, ".cards .figure"))[1] ?? ""), summary.followed?.savingsUsd ?? NaN, 0.006)
          assert.deepStrictEqual(troubles, [])
        }
      }), 120_000)

    it.effect("shows an account's guarantee and budget, as `sextant report` from storage and service does", () =>
      Effect.gen(function*() {
        const { directory, service } = yield* Stage
        const asked = yield* promise(service)
        assert.deepInclude(asked.guarantee, { state: "earning", baselineModelId: "gpt-5", candidateModelId: "gpt-5-mini" })
        assert.include(asked.warnings, "guarantee_needs_trials")
        for (const [width, colorScheme] of [[390, "light"], [1_400, "dark"]] as const) {
          const { page, troubles } = yield* open("/dashboard", { width, colorScheme })
          yield* enter(page, promisedKey)
          assert.include((yield* textsOf(page, "#budget")).join(), "Budget of $50.00 per day")
          yield* openTab(page, "Quality")
          const text = (yield* textsOf(page, "section[aria-labelledby=guarantee]")).join()
          assert.include(text, "Guarantee: within 5.0 points of gpt-5")
          assert.include(text, "Held in 0 of 1 kind of task")
          assert.deepStrictEqual(yield* findings(page), [])
          assert.isAtMost(yield* overflow(page), 0)
          assert.deepStrictEqual(troubles, [])
        }
        const written = yield* Effect.all([
          sextant(["report", "--html", "-", "--instance", "promised"], { SEXTANT_DATA_DIR: directory }),
          sextant(["report", "--html", "-", "--url", service.baseUrl], { SEXTANT_KEY: promisedKey })
        ], { concurrency: 2 })
        for (const { stdout } of written) {
          assert.include(stdout, "Guarantee: within 5.0 points of gpt-5")
          assert.include(stdout, "Held in 0 of 1 kind of task")
          assert.include(stdout, "Budget of $50.00 per day")
        }
      }), 120_000)

    it.effect("works under a path of a proxy, with start page and docs, and asks none beside it (case 24)", () =>
      Effect.gen(function*() {
        const at = yield* prefixed((yield* Stage).service.baseUrl)
        const { page, troubles } = yield* open("/", { at })
        yield* told(() => page.click("nav a[href='dashboard']"))
        yield* enter(page, acmeKey)
        assert.strictEqual(page.url().split("?")[0], `${at}/dashboard`)
        yield* told(() => page.goto(`${at}/dashboard/`))
        yield* told(() => page.waitForSelector("main section"))
        yield* told(() => page.goto(`${at}/docs/`))
        yield* told(() => page.click(".contents a >> nth=0"))
        yield* told(() => page.fill("#words", "budget"))
        yield* told(() => page.click("#results a >> nth=0"))
        yield* told(() => page.waitForURL(`${at}/docs/**`))
        yield* told(() => page.click("text=API reference"))
        yield* told(() => page.waitForSelector("text=Recommend >> visible=true"))
        assert.deepStrictEqual(troubles, [])
      }))

    it.effect("leaves the API's reference without errors too", () =>
      Effect.gen(function*() {
        const { page, troubles } = yield* open("/docs/reference#tag/recommend/POST/v1/recommend")
        yield* told(() => page.waitForSelector("text=$SEXTANT_URL/v1/recommend >> visible=true"))
        yield* told(() => page.keyboard.press("Control+k"))
        yield* told(() => page.getByRole("combobox").or(page.locator("input[type=search]")).last().fill("calibration"))
        yield* told(() => page.locator("[role=option] >> nth=0 >> text=alibration").first().waitFor())
        yield* told(() => page.keyboard.press("Escape"))
        // Tools that would send the document to the hosts of the page's maker.
        for (const text of ["Developer Tools", "Generate SDKs", "Open API Client"]) {
          assert.strictEqual(yield* told(() => page.getByText(text).count()), 0, text)
        }
        assert.deepStrictEqual(troubles, [])
      }))

    it.effect("comes with docs that are searched, pass axe, and copy code with the reader's key", () =>
      Effect.gen(function*() {
        const { service } = yield* Stage
        const { page, troubles } = yield* open("/docs")
        yield* inBothSchemes(page, 1_280, 360, (look) =>
          Effect.gen(function*() {
            assert.deepStrictEqual(yield* findings(page), [], look)
            assert.isAtMost(yield* overflow(page), 0, look)
          }))
        yield* told(() => page.keyboard.press("/"))
        yield* told(() => page.keyboard.type("list of models curl"))
        yield* told(() => page.waitForSelector("#results a"))
        yield* inBothSchemes(page, 1_280, 360, (look) => Effect.map(findings(page), (found) => assert.deepStrictEqual(found, [], look)))
        yield* told(() => page.keyboard.press("Enter"))
        yield* told(() => page.waitForURL(/\/docs\/.*#/))

        // Every page on a phone, and the first of them with a block for a shell that needs a key.
        yield* told(() => page.goto(`${service.baseUrl}/docs`))
        const links = yield* told(() => page.locator(".contents a").evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).href)))
        const pages = links.filter((link) => link.includes("/docs/") && !link.endsWith("/reference"))
        assert.isAbove(pages.length, 20)
        yield* inLooks(page, [["dark", 360]], () => Effect.void)
        const blocks = page.locator(".code", { has: page.locator("[data-language=sh]") }).filter({ hasText: /\$(SEXTANT_)?KEY/ })
        let needing = ""
        for (const link of pages) {
          yield* told(() => page.goto(link))
          // The pages share a style: its colours are judged up to the first page with such a block.
          assert.deepStrictEqual(yield* findings(page, needing !== ""), [], link)
          assert.isAtMost(yield* overflow(page), 0, link)
          if (needing === "" && (yield* told(() => blocks.count())) > 0) needing = link
        }
        yield* told(() => page.goto(needing))
        const written = yield* told(() => blocks.first().locator("code").textContent())
        assert.include(written, service.baseUrl)
        yield* told(() => page.fill("#key", demoKey))
        yield* told(() => page.click("#key-form [type=submit]"))
        const block = page.locator(".code", { hasText: demoKey }).first()
        yield* told(() => page.context().grantPermissions(["clipboard-read", "clipboard-write"]))
        yield* told(() => block.getByRole("button").click())
        yield* told(() => block.getByText("Copied").waitFor())
        const copied = yield* told(() => page.evaluate(() => navigator.clipboard.readText()))
        assert.strictEqual(copied, written?.replace(/\$(SEXTANT_)?KEY/g, demoKey))
        assert.notInclude(page.url(), "sxt_")
        assert.deepStrictEqual(yield* told(() => page.context().cookies()), [])
        assert.strictEqual(yield* told(() => page.evaluate(() => sessionStorage.length + localStorage.length)), 1)
        yield* told(() => page.reload())
        yield* told(() => page.locator(".code", { hasText: demoKey }).first().waitFor())
        yield* told(() => page.click("#forget"))
        assert.strictEqual(yield* told(() => page.locator(".code", { hasText: demoKey }).count()), 0)
        assert.strictEqual(yield* told(() => page.evaluate(() => sessionStorage.length)), 0)
        // What is no key stays out.
        yield* told(() => page.fill("#key", "$(reboot)"))
        yield* told(() => page.click("#key-form [type=submit]"))
        assert.strictEqual(yield* told(() => page.evaluate(() => sessionStorage.length)), 0)
        assert.deepStrictEqual(troubles, [])
      }), 120_000)

    it.effect("is what the start page links to, which passes axe in both colour schemes and has no script", () =>
      Effect.gen(function*() {
        const { service } = yield* Stage
        const { page, troubles } = yield* open("/")
        assert.strictEqual(yield* told(() => page.locator("script").count()), 0)
        assert.notMatch(yield* told(() => page.content()), /sxt_/)
        assert.include(yield* told(() => page.content()), service.baseUrl)
        yield* inEveryLook(page, [360, 1_280], (look) =>
          Effect.gen(function*() {
            assert.deepStrictEqual(yield* findings(page), [], look)
            assert.isAtMost(yield* overflow(page), 0, look)
          }))
        yield* told(() => page.click("nav a[href='dashboard']"))
        yield* told(() => page.waitForSelector("#key-form:not([hidden])"))
        assert.deepStrictEqual(troubles, [])
      }))

    it.effect("is what a backtest's page is drawn with: it passes axe, fits screens and asks for nothing", () =>
      Effect.gen(function*() {
        const folder = temporaryFolder()
        const reports = { told: yield* reportOn(randomCalls(600)), untold: yield* reportOn([callOf(0)]) }
        for (const [name, report] of Object.entries(reports)) {
          const path = join(folder, `${name}.html`)
          writeFileSync(path, pageOf(report))
          const { page, troubles } = yield* open(`file://${path}`)
          yield* unfold(page)
          yield* inBothSchemes(page, 1_400, 390, (look) =>
            Effect.map(findings(page), (found) => assert.deepStrictEqual(found, [], `${name}, ${look}`)))
          yield* inEveryLook(page, [390, 900, 1_400], (look) =>
            Effect.gen(function*() {
              const overflows = yield* told(() => page.evaluate(() =>
                [document.documentElement, ...document.querySelectorAll(".scroll")].map((each) => each.scrollWidth - each.clientWidth)))
              assert.isTrue(overflows.every((over) => over <= 0), `${name}, ${look}`)
            }))
          assert.deepStrictEqual(troubles, [], name)
        }
      }))

    it.effect("is the URL that the demo prints", () =>
      Effect.gen(function*() {
        const { demo, service } = yield* Stage
        assert.include(demo, `${service.baseUrl}/dashboard`)
        assert.include(demo, "150 tasks")
        assert.include(demo, "Now open, and enter the same key:")
      }))
  })

if (hasChromium) suite()
else describe.skip("the dashboard in Chromium", () => it("has no chromium to run in", () => {}))
