/* The page in a browser: reads and shows the report of its URL, and handles links, forms and history. */
import { answersOf, decisionOf, RequestFailed } from "./Answers.ts"
import { decisionIn } from "./DecisionPage.ts"
import { show } from "./Dom.ts"
import { exportOf } from "./Exports.ts"
import { counted } from "./Figures.ts"
import { byDates, datesOf, pageView, type State } from "./PageView.ts"
import { type Place, placeOf, queryOf } from "./Selection.ts"
import * as Session from "./Session.ts"

const root = document.querySelector("#app") ?? document.body
const ownTitle = document.title
const command = document.querySelector<HTMLMetaElement>("meta[name=command]")?.content ?? "sextant"

let state: State = {
  hasKey: Session.key() !== null, place: placeOf(location.search), answers: null, decision: null,
  isBusy: false, status: "", problem: ""
}

const report = (): HTMLElement | null => document.querySelector("#report")

const change = (changed: Partial<State>): void => {
  const hadFocus = report()?.contains(document.activeElement) === true
  state = { ...state, ...changed }
  show(root, pageView(state))
  document.title = state.decision === null
    ? ownTitle
    : `${report()?.querySelector("h2")?.textContent ?? ""} – Sextant`
  // The focus stays in the report if the focused element was removed.
  if (hadFocus && document.activeElement === document.body) report()?.focus({ preventScroll: true })
}

let running = new AbortController()

const forgetKey = (problem: string): void => {
  running.abort()
  Session.removeKey()
  const nothing = { answers: null, decision: null, isBusy: false, status: "" }
  change({ ...nothing, hasKey: false, problem, place: placeOf("") })
  document.querySelector<HTMLElement>("#key")?.focus()
}

const invalidKey = "This key is not valid. Enter another one."

/** The form of a key that a request header can carry; only the service knows if the key is valid. */
const keyText = /^[\x21-\x7e]{1,512}$/

const timeNow = (): string => new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })

const load = async (): Promise<void> => {
  const key = Session.key()
  const place = placeOf(location.search)
  const id = decisionIn(location.hash)
  if (key === null) return change({ place })
  running.abort()
  running = new AbortController()
  const { signal } = running
  change({ place, isBusy: true, problem: "", status: "Reading the ledger…" })
  try {
    if (id !== null) {
      const kept = id === "" ? null : await decisionOf(id, key, signal)
      if (signal.aborted) return
      change({ decision: { id, kept }, isBusy: false, status: id === "" ? "" : `Decision ${id}.` })
      scrollTo(0, 0)
      report()?.focus()
      return
    }
    const answers = await answersOf(place, key, command, place.tab === "decisions", signal)
    if (signal.aborted) return
    const { recommendations } = answers.calibration.health
    change({
      answers, decision: null, isBusy: false,
      status: `${counted(recommendations, "recommendation")}, as of ${timeNow()}.`
    })
  } catch (cause) {
    // The error of a request that was stopped is not shown.
    if (signal.aborted) return
    if (cause instanceof RequestFailed && cause.status === 401) return forgetKey(invalidKey)
    // Figures of the previous selection must not appear under the new selection.
    change({
      answers: null, decision: null, isBusy: false, status: "",
      problem: `The figures could not be read: ${cause instanceof Error ? cause.message : "unknown error"}.`
        + " To try again, select Refresh."
    })
  }
}

/** Opens a view. If only the tab changes, the shown figures are read again only for the tab Decisions. */
const go = (place: Place): Promise<void> => {
  const { tab: _, ...before } = state.place
  const { tab, ...asked } = place
  const isSame = JSON.stringify(before) === JSON.stringify(asked)
  const isRead = isSame && state.answers !== null && tab !== "decisions"
  history.pushState(null, "", `${location.pathname}${queryOf(place)}`)
  if (!isRead) return load()
  change({ place, decision: null })
  return Promise.resolve()
}

const unsearched = (place: Place): Place => ({ ...place, outcome: "", before: "" })

/** The window and filters that the controls select; null while a date is incomplete. */
const selected = (form: HTMLFormElement): Place | null => {
  const given = new FormData(form)
  const text = (name: string): string => String(given.get(name) ?? "").trim()
  const place = {
    ...unsearched(state.place), namespace: text("namespace"), model: text("model"), tag: text("tag"),
    user: text("user")
  }
  if (text("days") !== byDates) return { ...place, days: text("days"), dates: "" }
  if (!given.has("from")) return { ...place, dates: datesOf(place.days) }
  // While a reader types a year, the field contains 0002, 0020 and 0202.
  const isWhole = [text("from"), text("to")].every((date) => date >= "2000-01-01")
  return isWhole ? { ...place, dates: `${text("from")}/${text("to")}` } : null
}

const save = (section: string): void => {
  const made = state.answers === null ? null : exportOf(state.answers, section)
  if (made === null) return
  // Some spreadsheets read a file as UTF-8 only if it begins with a byte order mark.
  const url = URL.createObjectURL(new Blob(["\ufeff", made.text()], { type: "text/csv;charset=utf-8" }))
  const link = document.createElement("a")
  link.href = url
  link.download = made.fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

const openPoint = (id: string): void => {
  const opened = document.getElementById(id)
  for (const each of opened?.parentElement?.querySelectorAll("details") ?? []) each.open = each === opened
  opened?.querySelector("summary")?.focus()
}

root.addEventListener("submit", (event) => {
  event.preventDefault()
  if (!(event.target instanceof HTMLFormElement)) return
  const form = event.target
  const given = new FormData(form)
  if (form.id === "key-form") {
    const text = String(given.get("key") ?? "").trim()
    form.reset()
    if (!keyText.test(text)) return forgetKey(invalidKey)
    Session.setKey(text)
    change({ hasKey: true, problem: "" })
    // After a key is entered, the key's form disappears, so the report takes the focus.
    report()?.focus()
    return void load()
  }
  if (form.id === "search") {
    const id = String(given.get("recommendation") ?? "").trim()
    if (id === "") return void go({ ...state.place, before: "", outcome: String(given.get("outcome") ?? "") })
    location.hash = `decision/${id}`
    return
  }
  const place = selected(form)
  if (place === null) return
  if (queryOf(place) === queryOf(state.place)) return void load()
  void go(place)
})

root.addEventListener("change", (event) => {
  const form = event.target instanceof globalThis.Element ? event.target.closest("form") : null
  const place = form?.id === "controls" ? selected(form) : null
  if (place !== null && queryOf(place) !== queryOf(state.place)) void go(place)
})

root.addEventListener("click", (event) => {
  const { target } = event
  if (!(event instanceof MouseEvent) || !(target instanceof globalThis.Element)) return
  const found = (selector: string) => target.closest(selector)
  if (found("#forget") !== null) return forgetKey("")
  const point = found("[data-opens]")
  if (point !== null) return openPoint(point.getAttribute("data-opens") ?? "")
  const csv = found("[data-export]")
  if (csv !== null) return save(csv.getAttribute("data-export") ?? "")
  const link = found("[data-state]")
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const query = new URLSearchParams(queryOf(unsearched(state.place)))
  const added = new URLSearchParams(link.getAttribute("data-state") ?? "")
  for (const [name, value] of added) query.set(name, value)
  const isTab = link.closest("nav") !== null
  void go(placeOf(String(query))).then(() => isTab ? undefined : report()?.focus())
})

addEventListener("popstate", () => {
  const isSame = queryOf(placeOf(location.search)) === queryOf(state.place)
  const id = decisionIn(location.hash)
  if (id !== null) return state.decision?.id === id ? undefined : void load()
  if (!isSame || state.answers === null) return void load()
  const left = state.decision?.id
  running.abort()
  change({ decision: null, isBusy: false, problem: "" })
  if (left !== undefined) {
    (report()?.querySelector<HTMLElement>(`a[href$="#decision/${left}"]`) ?? report())?.focus()
  }
})

change({})
void load()
