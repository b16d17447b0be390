import type { Answers } from "./Answers.ts"
import { element, paragraph, section } from "./Element.ts"
import { type Claim, claimsOf, verdict } from "./Headline.ts"

const card = ({ figure, sentences, title }: Claim): HTMLElement =>
  element(
    "li",
    { class: "card" },
    element("h3", {}, title),
    element("p", { class: "figure" }, figure),
    ...sentences.map(paragraph)
  )

/** The four claims; without a decision, how to make the first one. */
export const headlineSection = (answers: Answers): HTMLElement => {
  if (answers.savings.health.recommendations > 0) {
    return section(
      "headline",
      "In short",
      element("p", { class: "verdict" }, verdict(answers)),
      element(
        "ul",
        { class: "cards" },
        ...claimsOf(answers).map(card)
      )
    )
  }
  const where = answers.savings.namespace === null ? "" : ` in the namespace ${answers.savings.namespace}`
  return section(
    "headline",
    "Nothing to report yet",
    paragraph(`Nobody asked Sextant anything${where} in this window: nothing saved, nothing to believe.`),
    element(
      "ol",
      {},
      element("li", {}, "Ask before a call: ", element("code", {}, "POST /v1/recommend"), "."),
      element("li", {}, "Run the model, then report: ", element("code", {}, "POST /v1/feedback"), ".")
    ),
    element(
      "p",
      {},
      element("a", { href: "/docs" }, "The API"),
      " says how. To see this page with a made-up day of traffic: ",
      element("code", {}, "npm run demo"),
      "."
    )
  )
}
