/* Turns the rows of a log into outcomes, in groups, and counts the rows that are left out. */
import { Effect } from "effect"
import {
  isOfRow, type LeftOutReason, type LogBatch, type LoggedCall
} from "../../logs/LoggedCall.ts"
import { modelNamesOf } from "../../logs/ModelNames.ts"
import { findModel } from "../../catalog/Lookup.ts"
import type { CatalogSnapshot, ModelCard } from "../../domain/model/Model.ts"
import type { LaneId } from "../../domain/Scope.ts"
import { defaults } from "../../engine/Settings.ts"
import type { Observation } from "../../domain/MemoryWrite.ts"
import { OutcomeImports } from "../../memory/OutcomeImport.ts"
import {
  loggedOutcome, type Teachable, teachableOf, type UntaughtReason
} from "./LoggedOutcome.ts"

export interface CallsToRead extends LaneId {
  /** The catalog's names of models, by their names in the log. */
  readonly aliases: Readonly<Record<string, string>>
  /** True to learn about a model at a level of effort as a model of its own, if the catalog has the level. */
  readonly byEffort: boolean
  readonly isTextKept: boolean
  readonly retentionDays: number
  readonly snapshot: CatalogSnapshot
}

const groupRows = 500

/** Divides a batch's rows into groups. Without rows, there is one group, so that bytes count as progress. */
export const groupsOf = ({ items, ...batch }: LogBatch): ReadonlyArray<LogBatch> =>
  Array.from({ length: Math.max(1, Math.ceil(items.length / groupRows)) }, (_, i) =>
    ({ ...batch, items: items.slice(i * groupRows, (i + 1) * groupRows) }))

export interface ReadGroup extends Pick<LogBatch, "bytesRead" | "bytesTotal"> {
  readonly outcomes: ReadonlyArray<Observation>
  /** Number of rows in the group. `found` is the number of the group's rows that are outcomes. */
  readonly rows: number
  readonly found: number
  readonly leftOut: ReadonlyArray<LeftOutReason | UntaughtReason>
  readonly details: ReadonlyMap<LeftOutReason, string>
  /** Names of models that the catalog does not have; a name is repeated for each row that has it. */
  readonly unknownModels: ReadonlyArray<string>
}

/** Maximum number of models and efforts whose cards are cached, because a log may name any number. */
const cardsMax = 10_000

/** Number of outcomes that are made between two pauses, in which other fibers run. */
const readTogether = 50

interface FoundCall {
  readonly card: ModelCard
  readonly each: Teachable
}

export const readGroupsOf = (request: CallsToRead, nowMs: number) => {
  const names = modelNamesOf(request.snapshot, request.aliases)
  const cards = new Map<string, ModelCard | null>()
  const cardOf = (call: LoggedCall): ModelCard | null => {
    const { modelId } = call
    const effort = request.byEffort ? call.effort : null
    const key = JSON.stringify([modelId, effort])
    const known = cards.get(key)
    if (known !== undefined) return known
    const card = names.find(modelId)
    const variant = card === null || effort === null
      ? undefined
      : findModel(request.snapshot, `${card.modelId}#${effort}`)
    const found = variant ?? card
    if (cards.size < cardsMax) cards.set(key, found)
    return found
  }
  return Effect.fnUntraced(function*(group: LogBatch) {
    const imports = yield* OutcomeImports
    const { bytesRead, bytesTotal, format, items } = group
    const scope = { ...request, format, nowMs }
    const leftOut: Array<LeftOutReason | UntaughtReason> = []
    const details = new Map<LeftOutReason, string>()
    const unknownModels: Array<string> = []
    const found: Array<FoundCall> = []
    for (const item of items) {
      if (item._tag === "LeftOut" && item.detail !== null && !details.has(item.reason)) {
        details.set(item.reason, item.detail)
      }
      const each = item._tag === "LeftOut" ? item.reason : teachableOf(scope, item.call, defaults)
      if (typeof each === "string") {
        leftOut.push(each)
        continue
      }
      const card = cardOf(each.call)
      if (card !== null) found.push({ card, each })
      else {
        leftOut.push("unknown_model")
        unknownModels.push(each.call.modelId)
      }
    }
    const ids = found.map(({ each }) => each.observationId)
    const stored = ids.length === 0 ? new Set<string>() : yield* imports.stored(request, ids)
    // If texts are stored, an outcome that the lane already has may still gain its text.
    const added = request.isTextKept ? found : found.filter(({ each }) => !stored.has(each.observationId))
    const outcomes: Array<Observation> = []
    for (const { card, each } of added) {
      if (outcomes.length % readTogether === 0) yield* Effect.yieldNow
      outcomes.push(imports.embedded(loggedOutcome(scope, each, card, defaults)))
    }
    const read: ReadGroup = {
      bytesRead, bytesTotal, outcomes, leftOut, details, unknownModels,
      rows: items.filter((item) => item._tag === "Call" || isOfRow(item.reason)).length,
      found: found.length
    }
    return read
  })
}
