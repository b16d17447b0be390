/* Spending, saving and success by namespace, tag or user, with the most useful action for each. */
import type { Answers, Grouping } from "./Answers.ts"
import { shortAdvice, worthwhile } from "./AdviceSection.ts"
import {
  type Column, element, type Element, figures, folded, note, section, stateLink, table
} from "./Element.ts"
import { count, money, roughRange, sum } from "./Figures.ts"
import { groupings } from "./Groupings.ts"
import { comparedOf, comparedWords } from "./Quality.ts"
import { isKnown, tiersOf, undecidedWords } from "./SavingTiers.ts"

type Group = Answers["savings"]["groups"][number]

const shownFirst = 6

const spentIn = ({ summary: { spend } }: Group): number => spend.cost_usd

const savedWords = ({ summary }: Group): string => {
  const tier = tiersOf(summary).find(({ saved }) => isKnown(saved))
  if (tier === undefined) return "not known"
  const { savings_high_usd: high, savings_low_usd: low, savings_usd: usd } = tier.saved
  const undecided = undecidedWords(tier) === "" ? "" : ", undecided"
  const isWide = low !== null && high !== null && low < high
  const within = isWide ? ` (${roughRange(low, high)}${undecided})` : ""
  return `${sum(usd)}${within}${tier.kind.isListed ? ", list prices" : ""}`
}

const missing = {
  baseline: "Name your own model: baseline_model_id",
  verified_outcomes: "Report verdicts of a gate or a person",
  followed_outcomes: "Report more verified outcomes",
  baseline_outcomes: "Draw some picks at random: epsilon_softmax"
} as const

/** What to do for a group: its best advice, the data that its figures need, a guarantee, or nothing. */
const actionOf = (answers: Answers, by: Grouping) => ({ comparison, key, summary }: Group): string => {
  const own = by === "lane" ? worthwhile(answers).find(({ lane }) => lane === key) : undefined
  if (own !== undefined) return shortAdvice(own)
  if (summary.estimated.n_declared === 0) return missing.baseline
  const compared = comparedOf(comparison)
  if (compared !== null) return compared.high < 0 ? "Set a guarantee: see the alert" : "Nothing now"
  return comparison?.lacks == null ? "Nothing now" : missing[comparison.lacks]
}

const columnsOf = (answers: Answers, by: Grouping): ReadonlyArray<Column<Group>> => {
  const { field, name, none, of } = groupings[by]
  /** No link can select calls without a tag or user. */
  const linked = (words: string, key: string, more: string) =>
    key === "" ? words : stateLink(words, `?${new URLSearchParams({ [field]: of(key) })}${more}`)
  return [
    {
      title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      cell: ({ key }) => linked(key === "" ? none : of(key), key, "")
    },
    figures("Calls", ({ key, summary }) => linked(count(summary.estimated.n), key, "&tab=decisions")),
    figures("Spent", (group) => money(spentIn(group))),
    figures("Saved (95 % interval)", savedWords),
    figures("Success, against yours", ({ comparison }) => comparedWords(comparison)),
    { title: "What to do", cell: actionOf(answers, by) }
  ]
}

const choices = (by: Grouping): Element =>
  element("p", { class: "note" }, "By", ...Object.entries(groupings).flatMap(([each, { name }]) => [
    " ", each === by ? element("strong", {}, name) : stateLink(name, `?by=${each}`)
  ]))

/** The table of teams; null without a group. */
export const teamsSection = (answers: Answers): Element | null => {
  const { asked, grouped, savings } = answers
  const by = asked?.by ?? "lane"
  if (savings.groups.length === 0) return null
  const groups = grouped?.groups.toSorted((one, other) => spentIn(other) - spentIn(one)) ?? null
  const columns = columnsOf(answers, by)
  const caption = `By ${groupings[by].name}`
  return section(
    "teams",
    "Teams",
    asked === null ? null : choices(by),
    ...(groups === null ? [note("These groups cannot be read now: choose a shorter window.")] : [
      table(caption, columns, groups.slice(0, shownFirst)),
      groups.length <= shownFirst
        ? null
        : folded(
          `${groups.length - shownFirst} more`,
          table(`${caption}, the rest`, columns, groups.slice(shownFirst))
        )
    ])
  )
}
