/* The page: it reads the reports of the selected namespace and window, and shows their sections. */
import { type Answers, answersOf, RequestFailed } from "./Answers.ts"
import { decisionsSection } from "./DecisionsSection.ts"
import { domOf } from "./Dom.ts"
import { element, type Element } from "./Element.ts"
import { counted, namespaceOf } from "./Figures.ts"
import { headlineSection } from "./HeadlineSection.ts"
import { driftSection, modelsSection } from "./ModelsSection.ts"
import { policiesSection } from "./PoliciesSection.ts"
import { reliabilitySection } from "./ReliabilitySection.ts"
import { savingsSection } from "./SavingsSection.ts"
import * as Session from "./Session.ts"

const found = <Tag extends "form" | "input" | "main" | "p" | "select">(tag: Tag, id: string) => {
  const match = document.querySelector<HTMLElementTagNameMap[Tag]>(`${tag}#${id}`)
  if (match === null) throw new Error(`The page has no ${tag} #${id}`)
  return match
}

const keyForm = found("form", "key-form")
const keyInput = found("input", "key")
const controls = found("form", "controls")
const namespace = found("select", "namespace")
const days = found("select", "days")
const status = found("p", "status")
const problem = found("p", "problem")
const report = found("main", "report")

/** The sections of the page; without a decision only the first one. */
const sectionsOf = (answers: Answers): ReadonlyArray<Element> =>
  answers.calibration.health.recommendations === 0 ? [headlineSection(answers)] : [
    headlineSection(answers), savingsSection(answers), reliabilitySection(answers), policiesSection(answers),
    driftSection(answers), modelsSection(answers), decisionsSection(answers)
  ]

const allNamespaces = () => domOf(element("option", { value: "" }, "All namespaces"))

/** Fills the list of namespaces from an answer for all of them, with their decisions in the window. */
const listNamespaces = ({ savings }: Answers): void => {
  if (savings.namespace !== null) return
  namespace.replaceChildren(
    allNamespaces(),
    ...savings.groups.map(({ key, summary }) =>
      domOf(element("option", { value: namespaceOf(key) }, `${namespaceOf(key)} (${summary.estimated.n})`)))
  )
}

const show = (answers: Answers): void => {
  listNamespaces(answers)
  report.replaceChildren(...sectionsOf(answers).map((each) => domOf(each)))
  const at = new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })
  const { recommendations } = answers.calibration.health
  status.textContent = `${counted(recommendations, "recommendation")}, as of ${at}.`
}

const showProblem = (message: string): void => {
  problem.textContent = message
  problem.hidden = message === ""
}

/** Shows the form for the key, or the controls when there is a key. */
const showForms = (): void => {
  const hasKey = Session.key() !== null
  keyForm.hidden = hasKey
  controls.hidden = !hasKey
}

const forgetKey = (message: string): void => {
  Session.removeKey()
  report.replaceChildren()
  status.textContent = ""
  namespace.replaceChildren(allNamespaces())
  showProblem(message)
  showForms()
  keyInput.focus()
}

let running = new AbortController()

const load = async (): Promise<void> => {
  const key = Session.key()
  if (key === null) return
  running.abort()
  running = new AbortController()
  const { signal } = running
  showProblem("")
  status.textContent = "Reading the ledger…"
  report.setAttribute("aria-busy", "true")
  try {
    const answers = await answersOf({ namespace: namespace.value, days: days.value }, key, signal)
    if (!signal.aborted) show(answers)
  } catch (cause) {
    // A newer request, or the end of the session, has replaced this one.
    if (signal.aborted) return
    if (cause instanceof RequestFailed && cause.status === 401) forgetKey("This key is not valid. Enter "
      + "another one.")
    else {
      // Figures of the previous selection must not stay under the new one.
      report.replaceChildren()
      status.textContent = ""
      showProblem(`The figures could not be read: `
        + `${cause instanceof Error ? cause.message : "unknown error"}.`
        + " To try again, select Refresh.")
    }
  } finally {
    if (!signal.aborted) report.removeAttribute("aria-busy")
  }
}

keyForm.addEventListener("submit", (event) => {
  event.preventDefault()
  Session.setKey(keyInput.value.trim())
  keyInput.value = ""
  showForms()
  // The form that had the focus is hidden; the report follows it.
  report.focus()
  void load()
})
controls.addEventListener("submit", (event) => {
  event.preventDefault()
  void load()
})
for (const control of [namespace, days]) control.addEventListener("change", () => void load())
controls.querySelector("#forget")?.addEventListener("click", () => {
  running.abort()
  forgetKey("")
})

showForms()
void load()
