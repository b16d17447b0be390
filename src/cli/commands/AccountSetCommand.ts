/* `sextant account set`: gives an account settings that differ from the service's settings. */
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { AccountSettings, type AccountSetting } from "../../accounts/AccountSettings.ts"
import { Keys } from "../../accounts/Keys.ts"
import { budgetUsdMax, budgetUsdMin, parseBudget } from "../../domain/account/Budget.ts"
import { SelectionPolicy } from "../../domain/Recommendation.ts"
import { AccountId } from "../../domain/Scope.ts"
import { stricter, TaskText } from "../../domain/text/TaskText.ts"
import { usdSentMax } from "../../domain/Units.ts"
import * as Layers from "../Layers.ts"
import { refusal } from "../Refusal.ts"
import { instance, serviceConfig, switchFlag } from "./Flags.ts"
import { guaranteeFlags, guaranteeGiven, guaranteeLine, warnOfBaseline } from "./GuaranteeFlags.ts"

const followService = "service"

const overrideOf = <A extends string>(given: A | typeof followService): A | null =>
  given === followService ? null : given

const noBudget: ReadonlyArray<string> = ["none", followService]

const BudgetFlag = Schema.String.check(Schema.makeFilter((text: string) =>
  noBudget.includes(text) || parseBudget(text) !== null
  || `Expected an amount in USD, 0 or from ${budgetUsdMin} to ${budgetUsdMax}, and a period, such as 50/day, `
    + "or none"))

/** Reads the budget from the flags: null if it is to be removed, undefined if no flag names a budget. */
const budgetGiven = Effect.fnUntraced(function*(text: Option.Option<string>, isHard: boolean) {
  const parsed = Option.isNone(text) ? undefined : parseBudget(text.value)
  if (parsed !== undefined && parsed !== null) return { ...parsed, isHard }
  if (isHard) return yield* refusal("--hard needs --budget with an amount")
  return parsed
})

const ValueFlag = Schema.String.check(Schema.makeFilter((text: string) =>
  noBudget.includes(text) || (text.trim() !== "" && Number(text) >= 0 && Number(text) <= usdSentMax)
  || `Expected an amount in USD from 0 to ${usdSentMax}, or none`))

/** Reads the value of success from its flag: null if it is to be removed, undefined without the flag. */
const valueGiven = (text: Option.Option<string>): number | null | undefined =>
  Option.isNone(text) ? undefined : noBudget.includes(text.value) ? null : Number(text.value)

const hasLiveKey = (instance: string) =>
  Effect.gen(function*() {
    const keys = yield* (yield* Keys).list
    const nowMs = yield* Clock.currentTimeMillis
    return keys.some(({ accountId, expiresAt, revokedAt }) =>
      accountId === instance && revokedAt === null && (expiresAt === null || expiresAt.getTime() > nowMs))
  })

const changeLine = (
  { budget, guarantee, selectionPolicy, successValueUsd, taskText }: Partial<AccountSetting>,
  ofService: TaskText
): string => {
  const parts: Array<string> = []
  if (selectionPolicy !== undefined) {
    parts.push(selectionPolicy === null
      ? "picks models by the service's policy"
      : `picks models by ${selectionPolicy}`)
  }
  if (taskText === null) parts.push(`stores the same text of its tasks as the service (${ofService})`)
  else if (taskText !== undefined) {
    const stored = stricter(ofService, taskText) === "none" ? "no text" : "an excerpt"
    const because = taskText === "excerpt" && ofService === "none"
      ? ", because SEXTANT_TASK_TEXT is none"
      : ""
    parts.push(`stores ${stored} of its tasks${because}`)
  }
  if (budget !== undefined) {
    parts.push(budget === null
      ? "has no budget"
      : `may spend ${budget.usd} USD in each ${budget.period} (UTC), `
        + (budget.isHard ? "and gets no recommendation beyond it" : "and gets the cheapest models beyond it"))
  }
  if (guarantee !== undefined) parts.push(guaranteeLine(guarantee))
  if (successValueUsd !== undefined) {
    parts.push(successValueUsd === null
      ? "picks models by the threshold of each request"
      : `picks models by what is worth most at ${successValueUsd} USD a success`)
  }
  return parts.join(", and ")
}

export const accountSet = Command.make(
  "set",
  {
    instance,
    selectionPolicy: Flag.Literals("selection-policy", [...SelectionPolicy.literals, followService]).pipe(
      Flag.withDescription("How models are picked for this account; `service` follows "
        + "SEXTANT_SELECTION_POLICY"),
      Flag.optional
    ),
    taskText: Flag.Literals("task-text", [...TaskText.literals, followService]).pipe(
      Flag.withDescription("What is stored of its tasks' text; `none` also removes stored text at once. "
        + "An account may be stricter than SEXTANT_TASK_TEXT, never laxer"),
      Flag.optional
    ),
    budget: Flag.String("budget").pipe(
      Flag.withDescription("What it may spend on the models that run, in USD, as `50/day` or `900/month`; "
        + "`none` removes the budget"),
      Flag.withSchema(BudgetFlag),
      Flag.optional
    ),
    isHard: switchFlag("hard", "With --budget: what does not fit into the rest of the budget is refused. "
      + "Without it the cheapest models are recommended then"),
    successValue: Flag.String("success-value").pipe(
      Flag.withDescription("What a right result is worth to it, in USD, where a request does not say: "
        + "the pick is then worth most, in place of the cheapest above the threshold; `none` removes it"),
      Flag.withSchema(ValueFlag),
      Flag.optional
    ),
    ...guaranteeFlags
  },
  ({ budget: budgetText, instance, isHard, selectionPolicy, successValue, taskText, ...flags }) =>
    Effect.gen(function*() {
      const guarantee = yield* guaranteeGiven(flags)
      const budget = yield* budgetGiven(budgetText, isHard)
      const successValueUsd = valueGiven(successValue)
      const change = {
        ...(Option.isSome(selectionPolicy) ? { selectionPolicy: overrideOf(selectionPolicy.value) } : {}),
        ...(Option.isSome(taskText) ? { taskText: overrideOf(taskText.value) } : {}),
        ...(budget === undefined ? {} : { budget }),
        ...(guarantee === undefined ? {} : { guarantee }),
        ...(successValueUsd === undefined ? {} : { successValueUsd })
      }
      if (Object.keys(change).length === 0) {
        const settings = "--selection-policy, --task-text, --budget, --success-value or --guarantee-baseline"
        return yield* refusal(`Give a setting: ${settings}`)
      }
      const config = yield* serviceConfig
      const accountId = AccountId.make(instance)
      const { isKnown, trimmed } = yield* Effect.gen(function*() {
        yield* (yield* AccountSettings).write(accountId, change)
        return {
          trimmed: change.taskText === "none" ? yield* Layers.removeWords(accountId) : null,
          // An external memory has the keys, so every account is taken as known.
          isKnown: Option.isSome(config.memoryUrl) || (yield* hasLiveKey(instance))
        }
      }).pipe(Effect.provide(Layers.accountSettings(config)))
      const line = changeLine(change, config.taskText)
      yield* Console.log(`${instance} ${line}. Running services apply it within 5 s.`)
      if (guarantee !== undefined && guarantee !== null) yield* warnOfBaseline(config, guarantee)
      if (trimmed !== null) yield* Console.log(`The text of ${trimmed} tasks was removed.`)
      if (!isKnown) {
        yield* Console.error(
          `Warning: ${instance} has no live key. \`sextant keys list\` shows the live keys.`
        )
      }
    })
).pipe(Command.withDescription("Give an account settings that differ from the service's"))
