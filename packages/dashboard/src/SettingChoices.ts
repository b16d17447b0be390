/* The plane of success and cost: what each setting would have brought, and the line that sets it. */
import type { PolicyRow } from "./Answers.ts"
import { planeChart } from "./charts/PlaneChart.ts"
import { asTable, element, type Element, note, paragraph } from "./Element.ts"
import { count, interval, moneyTick, percent, price } from "./Figures.ts"
import { basisNames, markOf, nameOf } from "./PolicyWords.ts"

/** A policy whose success and cost are known. */
interface Point extends PolicyRow {
  readonly success_value: number
  readonly cost_value: number
}

const isPoint = (row: PolicyRow): row is Point => row.success_value !== null && row.cost_value !== null

/** Outcomes that tell of a setting, count, below which nothing is claimed of it. Chosen. */
const outcomesMin = 30

/** "slider" and 7.5, or "value" and 0.3; null for a policy that no setting gives. */
const settingOf = ({ policy }: PolicyRow) => {
  const [, kind, number = ""] = /^(slider|value)-(.+)$/.exec(policy) ?? []
  return kind === "slider" || kind === "value" ? { kind, number } as const : null
}

/** A name that fits beside a point. */
const shortName = (row: PolicyRow): string | null => {
  const setting = settingOf(row)
  if (setting !== null) return setting.kind === "slider" ? setting.number : moneyTick(Number(setting.number))
  return row.policy === "deployed" ? "as it ran" : null
}

/** Whether a point is known well enough to stand against what ran. */
const verdictOf = (point: Point, deployed: Point | undefined): string => {
  const { basis, effective_sample_size: size, success_high: high, success_low: low } = point
  if (basis === "model-based" || size < outcomesMin || low === null || high === null) {
    return `It rests on ${count(Math.floor(size))} outcomes and predictions: not enough to tell.`
  }
  if (deployed === undefined || deployed.success_low === null || deployed.success_high === null) return ""
  return low > deployed.success_high
    ? "It succeeds more often than what ran."
    : high < deployed.success_low
    ? "It succeeds less often than what ran."
    : "Not enough to tell whether it succeeds more or less often than what ran."
}

const linesOf = (setAccount: string, { kind, number }: NonNullable<ReturnType<typeof settingOf>>) =>
  kind === "slider"
    ? [element("p", {}, "In a request: ", element("code", {}, `"cost_quality_tradeoff": ${number}`))]
    : [
      paragraph(`At this point one success more costs about ${moneyTick(Number(number))}.`),
      element("p", {}, "In a request: ", element("code", {}, `"success_value_usd": ${number}`)),
      element("p", {}, "For the account: ",
        element("code", {}, `${setAccount} --success-value ${number}`))
    ]

const idOf = ({ policy }: PolicyRow): string => `choose-${policy}`

const choiceOf = (setAccount: string, point: Point, deployed: Point | undefined): Element | null => {
  const setting = settingOf(point)
  if (setting === null) return null
  const { cost_value: cost, success_high: high, success_low: low, success_value: success } = point
  const within = interval(low, high)
  return element(
    "details",
    { id: idOf(point) },
    element("summary", {}, `${nameOf(point)}: ${percent(success)} at ${price(cost)} a call`),
    paragraph(`${within === "" ? "" : `95\u00a0% interval ${within}. `}${verdictOf(point, deployed)}`),
    ...linesOf(setAccount, setting)
  )
}

/**
 * The plane with its settings to choose from, dearest last; null where it has fewer than two points.
 *
 * @param setAccount the command that sets the account
 */
export const settingChoices = (
  setAccount: string,
  policies: ReadonlyArray<PolicyRow>,
  table: Element
): Element | null => {
  // Where all followed it, the advice is what the cheapest that is likely enough is.
  const points = policies.filter(isPoint).filter(({ policy }) => policy !== "cheapest-eligible")
    .sort((one, other) => one.cost_value - other.cost_value)
  const deployed = points.find(({ policy }) => policy === "deployed")
  if (points.length < 2) return null
  return element(
    "figure",
    {},
    element("figcaption", {}, "Success against cost: choose a point"),
    planeChart({
      label: "Success of each way of choosing against its cost, with 95 % intervals. The table contains the"
        + " figures.",
      points: points.map((point) => {
        const name = shortName(point)
        return {
          title: `${nameOf(point)}: ${percent(point.success_value)} at ${price(point.cost_value)}, ${
            basisNames[point.basis]
          }`,
          ...(name === null ? {} : { name }),
          ...(settingOf(point) === null ? {} : { opens: idOf(point) }),
          x: point.cost_value, y: point.success_value, yLow: point.success_low, yHigh: point.success_high,
          shape: markOf(point.basis).shape, isHollow: markOf(point.basis).isHollow
        }
      }),
      x: { title: "cost per call", tickLabel: moneyTick },
      y: { title: "success", tickLabel: percent }
    }),
    note("Numbers are the slider (cost_quality_tradeoff), dollars the value of a success."),
    element("div", { class: "choices" }, ...points.map((point) => choiceOf(setAccount, point, deployed))),
    asTable(table)
  )
}
