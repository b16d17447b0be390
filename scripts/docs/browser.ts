/* The script of `/docs`: search, buttons that copy, and code with the reader's key and this service's address. */
import { counted } from "../../packages/dashboard/src/Figures.ts"
import { key, removeKey, setKey } from "../../packages/dashboard/src/Session.ts"
import { filledBlock, filledWords, type Reader } from "./Fill.ts"
import { excerptOf, found, type Section } from "./Search.ts"

/** The service, with the path that a proxy may have put before it. */
const root = new URL("..", import.meta.url)

const element = <E extends Element>(selector: string): E => {
  const one = document.querySelector<E>(selector)
  if (one === null) throw new Error(`the page has no ${selector}`)
  return one
}

const make = (name: string, text: string, ...children: ReadonlyArray<Element>): HTMLElement => {
  const one = document.createElement(name)
  one.textContent = text
  one.append(...children)
  return one
}

/** The code of the page as it was written. */
const codes = [...document.querySelectorAll<HTMLElement>("main code")].map((code) =>
  ({ code, written: code.textContent ?? "", language: code.dataset["language"] }))

const fill = (): void => {
  const command = element<HTMLMetaElement>("meta[name=command]").content
  const reader: Reader = { url: root.href.replace(/\/$/, ""), key: key(), command }
  for (const { code, language, written } of codes) {
    const own = language === undefined ? filledWords(written, reader) : filledBlock(written, language, reader)
    if (code.textContent !== own) code.textContent = own
  }
}

/** Copies a text, also where a browser has no clipboard for a page without TLS. */
const copy = async (code: HTMLElement): Promise<void> => {
  if (isSecureContext) return navigator.clipboard.writeText(code.textContent ?? "")
  getSelection()?.selectAllChildren(code)
  if (!document.execCommand("copy")) throw new Error("the browser does not copy")
}

for (const { code, language } of codes) {
  // Output is read, and a word in a sentence is marked.
  if (language === undefined || language === "text") continue
  const button = make("button", "Copy")
  button.addEventListener("click", () => {
    const say = (text: string): void => {
      button.textContent = text
      element("#said").textContent = text
    }
    copy(code).then(() => say("Copied"), () => say("Select the code and copy it"))
    setTimeout(() => say("Copy"), 2_000)
  })
  const frame = make("div", "")
  frame.className = "code"
  code.parentElement?.replaceWith(frame)
  if (code.parentElement !== null) frame.append(code.parentElement, button)
}

const keyForm = element<HTMLFormElement>("#key-form")
const keyInput = element<HTMLInputElement>("#key")
const forget = element<HTMLButtonElement>("#forget")

const showKey = (): void => {
  forget.hidden = key() === null
  fill()
}
keyForm.addEventListener("submit", (event) => {
  event.preventDefault()
  setKey(keyInput.value)
  keyInput.value = ""
  showKey()
  element("#said").textContent = "The code has your key"
})
forget.addEventListener("click", () => {
  removeKey()
  showKey()
  keyInput.focus()
})

const searchForm = element<HTMLFormElement>("#search")
const words = element<HTMLInputElement>("#words")
const results = element<HTMLElement>("#results")
let sections: Promise<ReadonlyArray<Section>> | undefined

const read = async (): Promise<ReadonlyArray<Section>> => {
  const response = await fetch(new URL("docs/search.json", root))
  if (!response.ok) throw new Error(`search.json answers ${response.status}`)
  return await response.json()
}

const resultOf = (section: Section): HTMLElement => {
  const link = document.createElement("a")
  link.href = new URL(section.url, root).href
  const isPage = section.heading === section.page
  link.append(make("strong", section.heading), ...(isPage ? [] : [make("span", ` ${section.page}`)]))
  return make("li", "", link, make("p", excerptOf(section, words.value)))
}

const search = async (): Promise<void> => {
  const query = words.value
  try {
    const all = await (sections ??= read())
    if (query !== words.value) return
    const best = found(all, query)
    element("#count").textContent = best.length === 0 ? `Nothing about “${query}”` : counted(best.length, "result")
    element("#results ol").replaceChildren(...best.map(resultOf))
  } catch {
    sections = undefined
    element("#count").textContent = "The search could not be loaded: the service does not answer"
    element("#results ol").replaceChildren()
  }
  results.hidden = query.trim() === ""
}
words.addEventListener("input", () => void search())
searchForm.addEventListener("submit", (event) => {
  event.preventDefault()
  document.querySelector<HTMLAnchorElement>("#results a")?.click()
})
searchForm.addEventListener("keydown", ({ key: pressed }) => {
  if (pressed !== "Escape") return
  results.hidden = true
  words.focus()
})
// A link to a section of the page that is open closes the results.
results.addEventListener("click", () => results.hidden = true)
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target instanceof HTMLInputElement) return
  event.preventDefault()
  words.focus()
})

searchForm.hidden = false
keyForm.hidden = false
showKey()
