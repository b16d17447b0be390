/* Where the money went: spending, saving and quality by namespace, tag or user, and by the model that ran. */
import type { Answers, ClusterRow, Grouping } from "./Answers.ts"
import { type Column, element, type Element, folded, note, section, stateLink, table } from "./Element.ts"
import { count, interval, modelName, money, percent } from "./Figures.ts"
import { comparedWords } from "./Quality.ts"
import { isKnown, tiersOf, withInterval } from "./SavingTiers.ts"
import { interval95 } from "../../../src/stats/Wilson.ts"
import { namespaceOf } from "../../../src/domain/LaneName.ts"

type Group = Answers["savings"]["groups"][number]

/** Rows that are shown at first, count. */
const shownFirst = 5

const savedIn = ({ summary }: Group) => tiersOf(summary).find(({ saved }) => isKnown(saved))

const spentIn = ({ summary: { realized } }: Group): number => realized.realized_cost_usd

/** What a grouping is called, its field of a URL, what it lists, and what an empty key means. */
export const groupings: { readonly [By in Grouping]: GroupingWords } = {
  lane: { name: "namespace", field: "namespace", of: namespaceOf, none: "all others" },
  tag: { name: "tag", field: "tag", of: (key) => key, none: "no tag" },
  user_id: { name: "user", field: "user", of: (key) => key, none: "no user" }
}

interface GroupingWords {
  readonly name: string
  readonly field: string
  readonly of: (key: string) => string
  readonly none: string
}

const savedWords = (group: Group): string => {
  const tier = savedIn(group)
  if (tier === undefined) return "not known"
  const words = withInterval(money(tier.saved.savings_usd), tier.saved).replace("95\u00a0% interval ", "")
  return tier.kind.isListed ? `${words}, list prices` : words
}

const ofGroups = ({ field, name, none, of }: GroupingWords): ReadonlyArray<Column<Group>> => {
  /** No selection says that there is no tag or user. */
  const linked = (words: string, key: string, fragment: string) =>
    key === "" ? words : stateLink(words, `?${new URLSearchParams({ [field]: of(key) })}${fragment}`)
  return [
    {
      title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      cell: ({ key }) => linked(key === "" ? none : of(key), key, "")
    },
    {
      title: "Calls",
      cell: ({ key, summary }) => linked(count(summary.estimated.n), key, "#decisions"),
      isNumeric: true
    },
    { title: "Billed", cell: (group) => money(spentIn(group)), isNumeric: true },
    { title: "Saved (95 % interval)", cell: savedWords, isNumeric: true },
    {
      title: "Success against your own model",
      cell: ({ comparison }) => comparedWords(comparison),
      isNumeric: true
    }
  ]
}

interface ModelRow {
  readonly name: string
  readonly recommended: number
  readonly bills: number
  readonly billedUsd: number
  readonly outcomes: number
  readonly successes: number
}

/** The rows of one model on all kinds of task, added up; the dearest first. */
const modelsOf = (cells: ReadonlyArray<ClusterRow>): ReadonlyArray<ModelRow> => {
  const models = new Map<string, ModelRow>()
  for (const cell of cells) {
    const name = modelName(cell.model_id, cell.effort)
    const outliers = cell.n_cost_outliers ?? 0
    const mean = outliers > 0 ? cell.mean_cost_without_outliers_usd : cell.mean_cost_usd
    const bills = cell.n_billed - outliers
    const own = models.get(name)
    models.set(name, {
      name,
      recommended: (own?.recommended ?? 0) + cell.n_recommended,
      bills: (own?.bills ?? 0) + bills,
      billedUsd: (own?.billedUsd ?? 0) + bills * (mean ?? 0),
      outcomes: (own?.outcomes ?? 0) + cell.n_outcomes,
      successes: (own?.successes ?? 0) + cell.n_outcomes * (cell.success_rate ?? 0)
    })
  }
  return [...models.values()].sort((one, other) =>
    other.billedUsd - one.billedUsd || other.recommended - one.recommended)
}

const ofModels: ReadonlyArray<Column<ModelRow>> = [
  {
    title: "Model",
    cell: ({ name }) => stateLink(name, `?${new URLSearchParams({ model: name })}`)
  },
  {
    title: "Recommended",
    cell: ({ name, recommended }) =>
      stateLink(count(recommended), `?${new URLSearchParams({ model: name })}#decisions`),
    isNumeric: true
  },
  {
    title: "Billed, where it ran",
    cell: ({ billedUsd, bills }) => bills === 0 ? "not known" : money(billedUsd),
    isNumeric: true
  },
  {
    title: "Succeeded, where it ran (95 % interval)",
    cell: ({ outcomes, successes }) => {
      if (outcomes === 0) return "not known"
      const { high, low } = interval95(successes / outcomes, outcomes)
      return `${percent(successes / outcomes)} (${interval(low, high)})`
    },
    isNumeric: true
  }
]

/** The first rows of a table, and all of them folded away. */
const busiest = <Row>(caption: string, columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>) => [
  table(caption, columns, rows.slice(0, shownFirst)),
  rows.length > shownFirst ? folded(`All ${rows.length}`, table(`${caption}, all`, columns, rows)) : null
]

/** What else spending can be grouped by. */
const choices = (by: Grouping): Element =>
  element("p", { class: "note" }, "Group by:", ...Object.entries(groupings).flatMap(([each, { name }]) => [
    " ", each === by ? element("strong", {}, name) : stateLink(name, `?by=${each}#groups`)
  ]))

/** Spending by namespace, tag or user, and by model; null without a decision that counts. */
export const groupsSection = ({ asked, dashboard, grouped, savings }: Answers): Element | null => {
  const by = asked?.by ?? "lane"
  const words = groupings[by]
  const groups = grouped?.groups.toSorted((one, other) => spentIn(other) - spentIn(one)) ?? null
  const models = modelsOf(dashboard.cluster_models)
  if (savings.groups.length === 0 || models.length === 0) return null
  return section(
    "groups",
    "Where the money went",
    note("Select a name for its figures, a count for its decisions. Billed counts every bill."),
    choices(by),
    ...(groups === null
      ? [note("These groups cannot be read now: choose a shorter window.")]
      : busiest(`By ${words.name}`, ofGroups(words), groups)),
    ...busiest("By model", ofModels, models)
  )
}
