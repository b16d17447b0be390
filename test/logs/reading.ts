import { NodeServices } from "@effect/platform-node"
import { Effect, Stream } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { computedUsdOf } from "../../packages/backtest/src/Rehearsal.ts"
import { bundledRows } from "../../src/catalog/file/CatalogFile.ts"
import { servedModel } from "../../src/catalog/Offerings.ts"
import type { LogBatch, LoggedCall, LogItem } from "../../src/logs/LoggedCall.ts"
import { readLogs, type ReadOptions } from "../../src/logs/ReadLogs.ts"
import { snapshot } from "../support/builders.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

/* Logs for tests: files of their own in a temporary folder, and what reading them yields. */

export const folder = temporaryFolder()

let filesMade = 0

/** A new file with this content. */
export const fileOf = (content: string | Uint8Array, ending = "log"): string => {
  const path = join(folder, `${filesMade++}.${ending}`)
  writeFileSync(path, content)
  return path
}

export const fixture = (name: string): string => join(import.meta.dirname, "fixtures", name)

export const batchesOf = (paths: ReadonlyArray<string>, options: Partial<ReadOptions> = {}) =>
  Stream.runCollect(readLogs(paths, { format: "auto", ...options }))

export const itemsOf = (batches: ReadonlyArray<LogBatch>): ReadonlyArray<LogItem> =>
  batches.flatMap(({ items }) => items)

export const callsOf = (items: ReadonlyArray<LogItem>): ReadonlyArray<LoggedCall> =>
  items.flatMap((item) => item._tag === "Call" ? [item.call] : [])

/** Reasons of what was left out, each with its detail where there is one. */
export const leftOutOf = (items: ReadonlyArray<LogItem>): ReadonlyArray<string> =>
  items.flatMap((item) =>
    item._tag === "LeftOut" ? [item.detail === null ? item.reason : `${item.reason}: ${item.detail}`] : [])

/** Calls by their ids, and what was left out by its reason. */
export const namesOf = (batches: ReadonlyArray<LogBatch>): ReadonlyArray<string> =>
  itemsOf(batches).map((item) => item._tag === "Call" ? item.call.id : item.reason)

export const read = (paths: ReadonlyArray<string>, options: Partial<ReadOptions> = {}) =>
  Effect.map(batchesOf(paths, options), itemsOf)

/** What the calls cost by their tokens at list prices, USD; NaN where the catalog lacks a model. */
export const listUsdOf = Effect.fnUntraced(function*(items: ReadonlyArray<LogItem>) {
  const { cards } = yield* bundledRows.pipe(Effect.provide(NodeServices.layer))
  const models = snapshot(cards)
  return callsOf(items).reduce((sum, call) => {
    const card = servedModel(models, call.modelId)
    return sum + (card === undefined ? NaN : computedUsdOf(card, call) ?? 0)
  }, 0)
})

/** A row of our own format. */
export const ownRow = (i: number, fields: object = {}): string => JSON.stringify({
  id: `call-${i}`, at: "2026-03-01T10:00:00Z", model: "model-a", prompt: `Sum the numbers up to ${i}.`, ...fields
})
