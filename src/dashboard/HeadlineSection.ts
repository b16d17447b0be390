/* The first section of the page: the headline figures, or the first steps. */
import type { Answers } from "./Answers.ts"
import { element, paragraph, section } from "./Element.ts"
import { counted } from "./Figures.ts"
import { headlineFigures, verdict } from "./Headline.ts"
import type { HeadlineFigure } from "./HeadlineBills.ts"

const card = ({ figure, sentences, title }: HeadlineFigure): HTMLElement =>
  element(
    "li",
    { class: "card" },
    element("h3", {}, title),
    element("p", { class: "figure" }, figure),
    ...sentences.map(paragraph)
  )

/** What stands in place of the headline figures where every decision was asked in shadow. */
const shadowSection = ({ calibration }: Answers): HTMLElement =>
  section(
    "headline",
    "Asked in shadow",
    paragraph(`${counted(calibration.health.recommendations, "recommendation")} in this window, and the `
      + "callers ran their own default whatever the answer was. So nothing was saved, and no saving is shown."
      + " The sections below compare the predictions with the outcomes that were reported.")
  )

/**
 * The headline figures, where savings count any decision; without a decision, how to request the first one.
 */
export const headlineSection = (answers: Answers): HTMLElement => {
  if (answers.savings.health.recommendations > 0) {
    return section(
      "headline",
      "In short",
      element("p", { class: "verdict" }, verdict(answers)),
      element(
        "ul",
        { class: "cards" },
        ...headlineFigures(answers).map(card)
      )
    )
  }
  if (answers.calibration.health.recommendations > 0) return shadowSection(answers)
  const where = answers.savings.namespace === null ? "" : ` in the namespace ${answers.savings.namespace}`
  return section(
    "headline",
    "Nothing to report yet",
    paragraph(`There was no recommendation${where} in this window.`),
    element(
      "ol",
      {},
      element("li", {}, "Request a recommendation before you call a model: ", element("code", {}, "POST "
        + "/v1/recommend"), "."),
      element("li", {}, "Run the model, then report the outcome: ", element("code", {}, "POST "
        + "/v1/feedback"), ".")
    ),
    element(
      "p",
      {},
      element("a", { href: "/docs" }, "The API"),
      " is documented. To fill this page with sample traffic, run ",
      element("code", {}, "npm run demo"),
      "."
    )
  )
}
