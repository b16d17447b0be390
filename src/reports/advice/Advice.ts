/* Advice: a cheaper model in place of a kind of task's usual model, and how certain the change is. */
import { Order } from "effect"
import type { DecisionCandidate } from "../../domain/Decision.ts"
import type { Advice, Settle } from "../../domain/reports/Advice.ts"
import { comparedIn, type Kind } from "./AdviceArms.ts"
import { type Change, commandOf } from "./AdviceCommands.ts"
import { modelOf, type Pair, pairOf, rule, certaintyOf, type Way, waysOf } from "./AdvicePairs.ts"
import { adviceSettings } from "./AdviceSettings.ts"

/** Returns true if a change saves enough, and if the model may succeed almost as often. */
const isWorthARow = ({ candidate, chance, difference, usual }: Pair): boolean =>
  candidate.costUsd <= (1 - adviceSettings.savingShareMin) * usual.costUsd
  && chance >= adviceSettings.chanceMin
  && (difference === null || difference.high >= -rule.tolerance)

const rowOf = (pair: Pair, ways: ReadonlyArray<Way>, kind: Kind, accountId: string): Advice | null => {
  const { candidate, chance, difference, easierBy, isKnown, savingUsd, usual } = pair
  const { cluster, lane, perMonth } = kind
  const change: Change = { accountId, lane, cluster, usualId: usual.modelId, candidateId: candidate.modelId }
  const settle = isKnown ? [] : ways.map((way): Settle => ({ ...way, command: commandOf(change, way) }))
  const [first] = settle
  if (!isKnown && first === undefined) return null
  return {
    lane, cluster,
    callsPerMonth: usual.nCalls * perMonth,
    usual: modelOf(usual),
    candidate: modelOf(candidate),
    savingUsdPerMonth: savingUsd,
    certainty: certaintyOf(pair, isKnown),
    chance,
    differenceLow: difference?.low ?? null,
    differenceHigh: difference?.high ?? null,
    easierBy,
    action: first?.by ?? "move",
    command: first?.command ?? commandOf(change, { by: "move" }),
    settle
  }
}

interface AdvisedKind {
  readonly kind: Kind
  readonly candidates: ReadonlyArray<DecisionCandidate>
  /** The model that replaced a guarantee's baseline, by the newest decision; null if none did. */
  readonly heldId: string | null
}

/** Returns a kind's proven change that saves most, else the testable change with most expected saving. */
const adviceIn = ({ candidates, heldId, kind }: AdvisedKind, accountId: string): Advice | null => {
  // A model that replaced a guarantee's baseline is the usual model, even if another has more calls.
  const compared = comparedIn(kind, candidates, kind.arms.find(({ modelId }) => modelId === heldId))
  if (compared === null) return null
  const { others, usual } = compared
  const callsPerMonth = usual.nCalls * kind.perMonth
  const worthOf = ({ chance, isKnown, savingUsd }: Pair): number => (isKnown ? 1 : chance) * savingUsd
  const rows = others
    .map((candidate) => pairOf(usual, candidate, callsPerMonth)).filter(isWorthARow)
    .sort((one, other) =>
      Number(other.isKnown) - Number(one.isKnown) || worthOf(other) - worthOf(one)
      || Order.String(one.candidate.modelId, other.candidate.modelId))
  for (const pair of rows) {
    const row = rowOf(pair, pair.isKnown ? [] : waysOf(pair, kind), kind, accountId)
    if (row !== null) return row
  }
  return null
}

/** Models are compared only within one kind of task of one lane, because other tasks differ in difficulty. */
export const adviceOf = (
  kinds: ReadonlyArray<AdvisedKind>,
  accountId: string
): ReadonlyArray<Advice> =>
  kinds.flatMap((each) => adviceIn(each, accountId) ?? [])
    .sort((one, other) => other.savingUsdPerMonth - one.savingUsdPerMonth)
    .slice(0, adviceSettings.rowsMax)
