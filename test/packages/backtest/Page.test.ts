import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pageOf } from "../../../packages/backtest/src/page/Page.ts"
import { callOf, randomCalls, reportOn } from "./logs.ts"

describe("the page of a backtest", () => {
  it.live("loads nothing, runs nothing and has no style of an element, whatever a model is named", () =>
    Effect.gen(function*() {
      const hostile = "</style><script>alert(1)</script><img src=//evil.example/x onerror=alert(1)>"
      const calls = randomCalls(120).map((call, i) => i % 3 === 0 ? { ...call, modelId: hostile } : call)
      const page = pageOf(yield* reportOn(calls))
      assert.include(page, "&lt;script&gt;alert(1)")
      assert.notMatch(page, /<script|<img|<link|\sstyle=|<[^>]+\son\w+=|url\(|@import/)
      assert.include(page, "default-src &#39;none&#39;; style-src &#39;sha256-")
      assert.strictEqual(page.split("<style>").length, 2)
      assert.notMatch(page, /https?:\/\//)
    }))

  it.live("says that the log is not enough, and why, where it holds one model", () =>
    Effect.map(reportOn([callOf(0)]), (report) => {
      const page = pageOf(report)
      assert.include(page, "Not enough to tell")
      assert.include(page, "Assumed throughout")
    }))
})
