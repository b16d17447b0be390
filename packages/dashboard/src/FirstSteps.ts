/* The first steps of an account that has no calls, or few. */
import type { Answers } from "./Answers.ts"
import { command, element, type Element, note, paragraph, section } from "./Element.ts"
import { count, counted } from "./Figures.ts"

/** An account with fewer calls than this in the window sees three steps to take. Chosen. */
export const callsFew = 100
const verdictsMin = 30

interface Step {
  readonly words: string
  readonly done: number
  readonly of: number
  readonly line: string
}

const stepsOf = ({ savings: { comparison, summary } }: Answers): ReadonlyArray<Step> => {
  const { estimated: { n, n_declared: declared }, spend } = summary
  return [
    {
      words: "Report what each call took: its tokens, or its bill",
      done: spend.n_billed + spend.n_list_prices, of: n,
      line: `POST /v1/feedback {"recommendation_id": …, "chosen_model_id": …, "input_tokens": …, …}`
    },
    {
      words: "Name the model that you would otherwise use",
      done: declared, of: n,
      line: `POST /v1/recommend {…, "baseline_model_id": "gpt-5"}`
    },
    {
      words: `Report ${verdictsMin} outcomes that a check or a person verified`,
      done: Math.min(verdictsMin, comparison?.n ?? 0), of: verdictsMin,
      line: `POST /v1/feedback {…, "outcome": "success", "evidence_source": "gate"}`
    }
  ]
}

export const checkList = (answers: Answers): Element =>
  element(
    "div",
    { class: "card ask" },
    element("h3", {}, "Three steps to figures that hold"),
    element("ol", { class: "steps" }, ...stepsOf(answers).map(({ done, line, of, words }) => {
      const isDone = done >= of
      return element("li", isDone ? { class: "done" } : {},
        `${isDone ? "✓ " : ""}${words}: ${count(done)} of ${count(of)}.`, isDone ? null : command(line))
    }))
  )

export const allInShadow = ({ calibration: { health } }: Answers): Element =>
  section(
    "headline",
    "Asked in shadow",
    paragraph(`${counted(health.recommendations, "recommendation")} in this window, and no saving.`),
    note("The callers ran their own default, whatever the answer was. What following would have kept is under"
      + " What if.")
  )

/** The first screen of a window without a decision: how to request and report. */
export const firstSteps = ({ savings: { namespace } }: Answers): Element =>
  section(
    "headline",
    "Nothing to report yet",
    paragraph(`There was no recommendation${namespace === null ? "" : ` in the namespace ${namespace}`}`
      + " in this window."),
    element(
      "ol",
      { class: "steps" },
      element("li", {}, "Request a recommendation before you call a model:", command("POST /v1/recommend")),
      element("li", {}, "Run the model, then report the outcome:", command("POST /v1/feedback")),
      element("li", {}, "Or send the telemetry of your programs, and change nothing in them:",
        command("POST /v1/otlp/v1/traces"))
    ),
    element(
      "p",
      {},
      element("a", { href: "docs/using/ask-and-report" }, "Ask and report"),
      " has the first two to copy. To fill this page with sample traffic, run ",
      element("code", {}, "npm run demo"),
      "."
    )
  )
