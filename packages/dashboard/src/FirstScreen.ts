/* The first screen: a sentence, the most useful action, alerts, four figures, spending, teams, budget. */
import { dayMs, dayOf } from "../../../src/domain/Days.ts"
import { adviceCard } from "./AdviceSection.ts"
import { alertCards } from "./Alerts.ts"
import type { Answers } from "./Answers.ts"
import { budgetSection } from "./BudgetSection.ts"
import { element, type Element } from "./Element.ts"
import { count, day } from "./Figures.ts"
import { allInShadow, callsFew, checkList, firstSteps } from "./FirstSteps.ts"
import { grounds } from "./Grounds.ts"
import { keyFigures } from "./KeyFigures.ts"
import { sentence } from "./Sentence.ts"
import { spendSection } from "./SpendSection.ts"
import { teamsSection } from "./TeamsSection.ts"

/** The account, window and filters: "acme, last 30 days, all namespaces, tag beta: 1 Nov to 30 Nov". */
const windowWords = ({ asked, policyValue, savings }: Answers): string => {
  const { dates = "", model = "", tag = "", user = "" } = asked ?? {}
  const [from = "", to = ""] = dates.split("/")
  const since = Date.parse(policyValue.since)
  const until = dayOf(since + savings.days * dayMs)
  return `${policyValue.org_id}, ${[
    dates !== ""
      ? `${day(from)} to ${day(to)}, UTC`
      : savings.days === 1 ? "last 24 hours" : `last ${count(savings.days)} days`,
    savings.namespace ?? "all namespaces",
    ...(model === "" ? [] : [`where ${model} was advised`]),
    ...(tag === "" ? [] : [`tag ${tag}`]),
    ...(user === "" ? [] : [`user ${user}`])
  ].join(", ")}${dates === "" ? `: ${day(policyValue.since)} to ${day(until)}` : ""}`
}

const head = (answers: Answers): Element => {
  const isSmall = answers.savings.summary.estimated.n < callsFew
  const asks = [isSmall ? checkList(answers) : adviceCard(answers), alertCards(answers)]
    .filter((each) => each !== null)
  return element(
    "section",
    { class: "first", "aria-labelledby": "headline" },
    element("p", { class: "window" }, windowWords(answers)),
    element("h2", { id: "headline" }, sentence(answers)),
    asks.length === 0 ? null : element("div", { class: "asks" }, ...asks),
    keyFigures(answers, isSmall),
    grounds(answers)
  )
}

/** The sections of the first screen; a single section if no decision, or only shadow decisions, were made. */
export const firstScreen = (answers: Answers): ReadonlyArray<Element> => {
  if (answers.savings.health.recommendations === 0) {
    return [answers.calibration.health.recommendations > 0 ? allInShadow(answers) : firstSteps(answers)]
  }
  return [head(answers), spendSection(answers), teamsSection(answers), budgetSection(answers)]
    .filter((each) => each !== null)
}
