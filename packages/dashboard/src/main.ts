/* The page: it reads the reports of the selected namespace and window, or a decision, and shows them. */
import { type Answers, answersOf, decisionOf, RequestFailed } from "./Answers.ts"
import { budgetSection } from "./BudgetSection.ts"
import { decisionIn, decisionPage, fragmentOf } from "./DecisionPage.ts"
import { decisionsSection } from "./DecisionsSection.ts"
import { domOf } from "./Dom.ts"
import { element, type Element, tucked } from "./Element.ts"
import { type Export, exportsOf } from "./Exports.ts"
import { counted } from "./Figures.ts"
import { groupsSection } from "./GroupsSection.ts"
import { guaranteeSection } from "./GuaranteeSection.ts"
import { headlineSection } from "./HeadlineSection.ts"
import { driftSection, modelsSection } from "./ModelsSection.ts"
import { policiesSection } from "./PoliciesSection.ts"
import { reliabilitySection } from "./ReliabilitySection.ts"
import { savingsSection } from "./SavingsSection.ts"
import { makeSelection } from "./Selection.ts"
import * as Session from "./Session.ts"
import { shadowSection } from "./ShadowSection.ts"
import { coverageSection } from "./CoverageSection.ts"
import { judgesSection } from "./JudgesSection.ts"
import { taskSection } from "./TaskSection.ts"
import { adviceSection } from "./AdviceSection.ts"
import { untriedSection } from "./UntriedSection.ts"
import { verdictsSection } from "./VerdictsSection.ts"

const found = <Tag extends "footer" | "form" | "input" | "main" | "p" | "select">(tag: Tag, id: string) => {
  const match = document.querySelector<HTMLElementTagNameMap[Tag]>(`${tag}#${id}`)
  if (match === null) throw new Error(`The page has no ${tag} #${id}`)
  return match
}

const keyForm = found("form", "key-form")
const keyInput = found("input", "key")
const controls = found("form", "controls")
const selection = makeSelection({
  namespace: found("select", "namespace"), days: found("select", "days"), model: found("select", "model"),
  tag: found("input", "tag"), user: found("input", "user"),
  from: found("input", "from"), to: found("input", "to")
})
const status = found("p", "status")
const problem = found("p", "problem")
const report = found("main", "report")

/** The sections of the page, the details folded away; without a decision only the first one. */
const sectionsOf = (answers: Answers): ReadonlyArray<Element> => {
  const headline = headlineSection(answers)
  if (answers.calibration.health.recommendations === 0) return [headline]
  const shown = [
    headline, savingsSection(answers), groupsSection(answers), policiesSection(answers), taskSection(answers),
    shadowSection(answers), coverageSection(answers), adviceSection(answers), untriedSection(answers),
    verdictsSection(answers)
  ]
  const details = [
    budgetSection(answers), guaranteeSection(answers), judgesSection(answers), modelsSection(answers),
    reliabilitySection(answers), driftSection(answers), decisionsSection(answers)
  ]
  return [
    ...shown, ...details.map((each) => each === null ? null : tucked(each, "Show"))
  ].filter((each) => each !== null)
}

/** Replaces what the report shows. The focus stays in it where what had the focus goes. */
const fillReport = (elements: ReadonlyArray<Element>): void => {
  const hadFocus = report.contains(document.activeElement)
  report.replaceChildren(...elements.map((each) => domOf(each)))
  if (hadFocus) report.focus({ preventScroll: true })
}

/** Opens the section that the fragment of the URL names, and moves to it. */
const openAnchor = (): void => {
  const heading = decisionIn(location.hash) === null && location.hash.length > 1
    ? document.getElementById(location.hash.slice(1))
    : null
  const details = heading?.parentElement?.querySelector<HTMLDetailsElement>(":scope > details")
  if (details != null) details.open = true
  heading?.scrollIntoView()
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
const command = document.querySelector<HTMLMetaElement>("meta[name=command]")?.content ?? "sextant"

/** The figures that were read last, so that the way back from a decision needs no request. */
let lastAnswers: Answers | null = null

const show = (answers: Answers): void => {
  lastAnswers = answers
  document.title = figuresTitle
  selection.list(answers)
  fillReport(sectionsOf(answers))
  offerExports(answers)
  openAnchor()
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
  selection.forget()
  showProblem(message)
  showForms()
  keyInput.focus()
}

let running = new AbortController()

/** Reads and shows one decision, and moves the focus to it. */
const showDecision = async (id: string, key: string, signal: AbortSignal): Promise<void> => {
  const kept = id === "" ? null : await decisionOf(id, key, signal)
  if (signal.aborted) return
  fillReport(decisionPage(id, kept))
  document.title = `${report.querySelector("h2")?.textContent ?? id} – Sextant`
  status.textContent = id === "" ? "" : `Decision ${id}.`
  scrollTo(0, 0)
  report.focus()
}

const load = async (): Promise<void> => {
  const key = Session.key()
  const asked = selection.window()
  if (key === null || asked === null) return
  running.abort()
  running = new AbortController()
  const { signal } = running
  showProblem("")
  status.textContent = "Reading the ledger…"
  report.setAttribute("aria-busy", "true")
  try {
    const id = decisionIn(location.hash)
    if (id !== null) return await showDecision(id, key, signal)
    const answers = await answersOf(asked, key, command, signal)
    if (!signal.aborted) show(answers)
  } catch (cause) {
    // A newer request, or the end of the session, has replaced this one.
    if (signal.aborted) return
    if (cause instanceof RequestFailed && cause.status === 401) forgetKey(invalidKey)
    else {
      // Figures of the previous selection must not stay under the new one.
      fillReport([])
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
selection.onChange(() => {
  // A selection is about the figures, not about the decision that is open.
  history.pushState(null, "", `${location.pathname}${selection.query()}`)
  void load()
})
addEventListener("popstate", () => {
  if (selection.query() === location.search) return
  selection.select(location.search)
  void load()
})
/** Opens what a point of a plane stands for, and closes what another one does. */
const openPoint = (id: string): void => {
  const opened = document.getElementById(id)
  for (const each of opened?.parentElement?.querySelectorAll("details") ?? []) each.open = each === opened
  opened?.querySelector("summary")?.focus()
}

report.addEventListener("click", (event) => {
  const point = event.target instanceof globalThis.Element ? event.target.closest("[data-opens]") : null
  if (point !== null) return openPoint(point.getAttribute("data-opens") ?? "")
  const link = event.target instanceof globalThis.Element ? event.target.closest("[data-state]") : null
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  // The link adds to what is selected.
  const { hash, searchParams } = new URL(link.getAttribute("data-state") ?? "", location.href)
  const query = new URLSearchParams(location.search)
  for (const [name, value] of searchParams) query.set(name, value)
  history.pushState(null, "", `${location.pathname}?${query}${hash}`)
  selection.select(location.search)
  void load().then(() => report.focus())
})
addEventListener("hashchange", ({ oldURL }) => {
  const left = decisionIn(new URL(oldURL).hash)
  if (decisionIn(location.hash) !== null) return void load()
  if (left === null) return openAnchor()
  if (lastAnswers === null) return void load()
  running.abort()
  report.removeAttribute("aria-busy")
  showProblem("")
  show(lastAnswers)
  const link = report.querySelector<HTMLElement>(`a[href="${fragmentOf(left)}"]`)
  for (let at = link?.closest("details"); at != null; at = at.parentElement?.closest("details")) {
    at.open = true
  }
  ;(link ?? report).focus()
})
controls.querySelector("#forget")?.addEventListener("click", () => {
  running.abort()
  forgetKey("")
})

selection.select(location.search)
showForms()
void load()
