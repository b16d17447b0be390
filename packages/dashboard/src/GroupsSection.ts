/* Where the money went: spending and saving by namespace, and by the model that ran. */
import type { Answers, ClusterRow } from "./Answers.ts"
import { type Column, element, type Element, folded, note, section, table } from "./Element.ts"
import { count, interval, modelName, money, namespaceOf, percent } from "./Figures.ts"
import { isKnown, tiersOf, withInterval } from "./SavingTiers.ts"
import { interval95 } from "../../../src/stats/Wilson.ts"

type Group = Answers["savings"]["groups"][number]

/** Rows that are shown at first, count. */
const shownFirst = 6

const savedIn = ({ summary }: Group) => tiersOf(summary).find(({ saved }) => isKnown(saved))

const spentIn = ({ summary: { realized } }: Group): number => realized.realized_cost_usd

const ofNamespaces: ReadonlyArray<Column<Group>> = [
  {
    title: "Namespace",
    cell: ({ key }) =>
      element("a", { href: `?${new URLSearchParams({ namespace: namespaceOf(key) })}`, "data-state": "" },
        namespaceOf(key))
  },
  { title: "Calls", cell: ({ summary }) => count(summary.estimated.n), isNumeric: true },
  { title: "Billed", cell: (group) => money(spentIn(group)), isNumeric: true },
  {
    title: "Saved (95 % interval)",
    cell: (group) => {
      const tier = savedIn(group)
      if (tier === undefined) return "not known"
      const words = withInterval(money(tier.saved.savings_usd), tier.saved).replace("95\u00a0% interval ", "")
      return tier.kind.isListed ? `${words}, list prices` : words
    },
    isNumeric: true
  },
  { title: "Feedback", cell: ({ health }) => percent(health.feedback_coverage), isNumeric: true }
]

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
    cell: ({ name }) =>
      element("a", { href: `?${new URLSearchParams({ model: name })}#decisions`, "data-state": "" }, name)
  },
  { title: "Recommended", cell: ({ recommended }) => count(recommended), isNumeric: true },
  {
    title: "Billed",
    cell: ({ billedUsd, bills }) => bills === 0 ? "not known" : money(billedUsd),
    isNumeric: true
  },
  {
    title: "Succeeded (95 % interval)",
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

/** Spending by namespace and model; null without a decision that counts. */
export const groupsSection = ({ dashboard, savings }: Answers): Element | null => {
  const groups = savings.groups.toSorted((one, other) => spentIn(other) - spentIn(one))
  const models = modelsOf(dashboard.cluster_models)
  if (groups.length === 0 || models.length === 0) return null
  return section(
    "groups",
    "Where the money went",
    note("Select a namespace or model for its figures, quality and decisions. Billed counts every bill."),
    ...busiest("By namespace", ofNamespaces, groups),
    ...busiest("By model that ran", ofModels, models)
  )
}
