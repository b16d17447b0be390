/* Reads a log as outcomes of memory, some rows at a time, and counts the rows that are left out. */
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

/** Whose calls are read, and how. */
export interface CallsToRead extends LaneId {
  /** Names of models in the log, and the catalog's names for them. */
  readonly aliases: Readonly<Record<string, string>>
  /** Whether a call teaches the level of effort that the log names, and not the model without a level. */
  readonly byEffort: boolean
  /** Whether the tasks' text is kept, for a running service to embed. */
  readonly isTextKept: boolean
  /** How long calls without a label are kept, days. */
  readonly retentionDays: number
  readonly snapshot: CatalogSnapshot
}

/** Calls taught in one transaction, count. */
const groupRows = 500

/** A piece of a file in groups of rows, at least one. */
export const groupsOf = ({ items, ...batch }: LogBatch): ReadonlyArray<LogBatch> =>
  Array.from({ length: Math.max(1, Math.ceil(items.length / groupRows)) }, (_, i) =>
    ({ ...batch, items: items.slice(i * groupRows, (i + 1) * groupRows) }))

/** A group that was read. */
export interface ReadGroup extends Pick<LogBatch, "bytesRead" | "bytesTotal"> {
  /** What is to be added: without the outcomes that the lane has already. */
  readonly outcomes: ReadonlyArray<Observation>
  /** Rows, and those of them that are outcomes, counts. */
  readonly rows: number
  readonly found: number
  readonly leftOut: ReadonlyArray<LeftOutReason | UntaughtReason>
  /** What was met first, by reason, for a person. */
  readonly details: ReadonlyMap<LeftOutReason, string>
  /** The log's names of the models that the catalog does not have, one for each row. */
  readonly unknownModels: ReadonlyArray<string>
}

/** Models and levels of effort that are found once for a log, count. */
const cardsMax = 10_000

/** Tasks that are read in one turn of the event loop, which also serves the statements under way. */
const readTogether = 50

/** A row of a model that the catalog has. */
interface FoundCall {
  readonly card: ModelCard
  readonly each: Teachable
}

/** A reader of groups, as of a moment, ms since 1970. */
export const readGroupsOf = (request: CallsToRead, nowMs: number) => {
  const names = modelNamesOf(request.snapshot, request.aliases)
  const cards = new Map<string, ModelCard | null>()
  /** The model; or, where levels of effort are taught and the model has the one that ran, that level. */
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
    // A log may name any number of models.
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
    // Words can be added to an outcome that is there.
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
