/* The page: it reads the reports of the selected namespace and window, or a decision, and shows them. */
import { type Answers, answersOf, decisionOf, RequestFailed } from "./Answers.ts"
import { budgetSection } from "./BudgetSection.ts"
import { decisionIn, decisionPage, fragmentOf } from "./DecisionPage.ts"
import { decisionsSection } from "./DecisionsSection.ts"
import { domOf } from "./Dom.ts"
import { element, type Element } from "./Element.ts"
import { type Export, exportsOf } from "./Exports.ts"
import { counted, namespaceOf } from "./Figures.ts"
import { guaranteeSection } from "./GuaranteeSection.ts"
import { headlineSection } from "./HeadlineSection.ts"
import { healthSection } from "./HealthSection.ts"
import { driftSection, modelsSection } from "./ModelsSection.ts"
import { policiesSection } from "./PoliciesSection.ts"
import { reliabilitySection } from "./ReliabilitySection.ts"
import { savingsSection } from "./SavingsSection.ts"
import * as Session from "./Session.ts"
import { shadowSection } from "./ShadowSection.ts"
import { taskSection } from "./TaskSection.ts"

const found = <Tag extends "footer" | "form" | "input" | "main" | "p" | "select">(tag: Tag, id: string) => {
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
    headlineSection(answers), healthSection(answers), budgetSection(answers), guaranteeSection(answers),
    shadowSection(answers), savingsSection(answers), taskSection(answers), modelsSection(answers),
    policiesSection(answers), reliabilitySection(answers), driftSection(answers), decisionsSection(answers)
  ].filter((each) => each !== null)

const allNamespaces = () => domOf(element("option", { value: "" }, "All namespaces"))

/** Fills the list of namespaces from an answer for all of them, with their decisions in the window. */
const listNamespaces = ({ dashboard: { shadow = null }, savings }: Answers): void => {
  if (savings.namespace !== null) return
  const counts = new Map(savings.groups.map(({ key, summary }) => [key, summary.estimated.n]))
  for (const { lane, n } of shadow?.lanes ?? []) counts.set(lane, (counts.get(lane) ?? 0) + n)
  namespace.replaceChildren(
    allNamespaces(),
    ...[...counts].sort(([one], [other]) => one < other ? -1 : 1).map(([lane, n]) =>
      domOf(element("option", { value: namespaceOf(lane) }, `${namespaceOf(lane)} (${n})`)))
  )
}

/** Hands a file to the reader, as if a link to it had been selected. */
const save = ({ fileName, text }: Export): void => {
  // Spreadsheets take a file for UTF-8 only if it begins with a byte order mark.
  const url = URL.createObjectURL(new Blob(["\ufeff", text()], { type: "text/csv;charset=utf-8" }))
  const link = document.createElement("a")
  link.href = url
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Puts a button beside the heading of each section that can be exported. */
const offerExports = (answers: Answers): void => {
  for (const each of exportsOf(answers)) {
    const heading = report.querySelector(`#${each.section}`)
    const words = `Export CSV: ${heading?.textContent ?? each.section}`
    const attributes = { type: "button", class: "export", "aria-label": words }
    const button = domOf(element("button", attributes, "Export CSV"))
    button.addEventListener("click", () => save(each))
    heading?.after(button)
    heading?.parentElement?.classList.add("exporting")
  }
}

const figuresTitle = document.title

/** The figures that were read last, so that the way back from a decision needs no request. */
let lastAnswers: Answers | null = null

const show = (answers: Answers): void => {
  lastAnswers = answers
  document.title = figuresTitle
  listNamespaces(answers)
  report.replaceChildren(...sectionsOf(answers).map((each) => domOf(each)))
  offerExports(answers)
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
  // Shown after what is above it, which would push it down.
  found("footer", "foot").hidden = false
}

const invalidKey = "This key is not valid. Enter another one."

/** What a request can carry and a service may accept; the service itself says whether it is a key. */
const keyText = /^[\x21-\x7e]{1,512}$/

const forgetKey = (message: string): void => {
  Session.removeKey()
  lastAnswers = null
  report.replaceChildren()
  status.textContent = ""
  namespace.replaceChildren(allNamespaces())
  showProblem(message)
  showForms()
  keyInput.focus()
}

let running = new AbortController()

/** Reads and shows one decision, and moves the focus to it. */
const showDecision = async (id: string, key: string, signal: AbortSignal): Promise<void> => {
  const kept = id === "" ? null : await decisionOf(id, key, signal)
  if (signal.aborted) return
  report.replaceChildren(...decisionPage(id, kept).map((each) => domOf(each)))
  document.title = `${report.querySelector("h2")?.textContent ?? id} – Sextant`
  status.textContent = id === "" ? "" : `Decision ${id}.`
  scrollTo(0, 0)
  report.focus()
}

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
    const id = decisionIn(location.hash)
    if (id !== null) return await showDecision(id, key, signal)
    const answers = await answersOf({ namespace: namespace.value, days: days.value }, key, signal)
    if (!signal.aborted) show(answers)
  } catch (cause) {
    // A newer request, or the end of the session, has replaced this one.
    if (signal.aborted) return
    if (cause instanceof RequestFailed && cause.status === 401) forgetKey(invalidKey)
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
  const text = keyInput.value.trim()
  keyInput.value = ""
  if (!keyText.test(text)) return forgetKey(invalidKey)
  Session.setKey(text)
  showForms()
  // The form that had the focus is hidden; the report follows it.
  report.focus()
  void load()
})
controls.addEventListener("submit", (event) => {
  event.preventDefault()
  void load()
})
for (const control of [namespace, days]) {
  control.addEventListener("change", () => {
    // A selection is about the figures, not about the decision that is open.
    if (decisionIn(location.hash) !== null) history.pushState(null, "", location.pathname)
    void load()
  })
}
addEventListener("hashchange", ({ oldURL }) => {
  const left = decisionIn(new URL(oldURL).hash)
  if (decisionIn(location.hash) !== null) return void load()
  if (left === null) return
  if (lastAnswers === null) return void load()
  running.abort()
  report.removeAttribute("aria-busy")
  showProblem("")
  show(lastAnswers)
  const link = report.querySelector<HTMLElement>(`a[href="${fragmentOf(left)}"]`)
  const folded = link?.closest("details")
  if (folded != null) folded.open = true
  ;(link ?? report).focus()
})
controls.querySelector("#forget")?.addEventListener("click", () => {
  running.abort()
  forgetKey("")
})

showForms()
void load()
