/* Elements of a page as plain values, and the building blocks of its sections. */
import { shown } from "../../../src/domain/text/HiddenCharacters.ts"

/** An element of HTML or SVG, in which no text is read as markup. */
export interface Element {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: ReadonlyArray<Element | string>
}

export type Content = Element | string | null

/** Makes an element without null children. Escapes hidden characters, such as one that reverses a line. */
export const element = (
  tag: string,
  attributes: Readonly<Record<string, string>> = {},
  ...children: ReadonlyArray<Content>
): Element => ({
  tag,
  attributes: Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, shown(value)])),
  children: children.filter((child) => child !== null)
    .map((child) => typeof child === "string" ? shown(child) : child)
})

/** A link that changes the selection by its query, for example `?model=gpt-5`. */
export const stateLink = (words: string, state: string): Element =>
  element("a", { href: state, "data-state": state }, words)

export const section = (id: string, title: string, ...children: ReadonlyArray<Content>): Element =>
  element(
    "section",
    { "aria-labelledby": id },
    element("h2", { id }, title),
    ...children
  )

export const paragraph = (text: string): Element => element("p", {}, text)
export const note = (text: string): Element => element("p", { class: "note" }, text)

export type Choice = readonly [value: string, words: string]

/** A labelled list of choices. The selection is added if it is missing, because a link may name any value. */
export const list = (
  id: string,
  label: string,
  selected: string,
  choices: ReadonlyArray<Choice>
): Element => {
  const known = choices.some(([value]) => value === selected)
  const all: ReadonlyArray<Choice> = known ? choices : [...choices, [selected, selected]]
  return element(
    "div",
    {},
    element("label", { for: id }, label),
    element("select", { id, name: id }, ...all.map(([value, words]) =>
      element("option", { value, ...(value === selected ? { selected: "selected" } : {}) }, words)))
  )
}

export const exportButton = (section: string, words: string): Element =>
  element("button", {
    type: "button", class: "export", "data-export": section, "aria-label": `Export CSV: ${words}`
  }, "Export CSV")

export const command = (line: string): Element => element("pre", {}, element("code", {}, line))

/** Content that is folded away until its summary is selected. */
export const folded = (summary: string, ...content: ReadonlyArray<Content>): Element =>
  element("details", {}, element("summary", {}, summary), ...content)

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => Content
  readonly isNumeric?: boolean
}

export const figures = <Row>(title: string, cell: (row: Row) => Content): Column<Row> =>
  ({ title, cell, isNumeric: true })

const kindOf = <Row>({ isNumeric = false }: Column<Row>): Readonly<Record<string, string>> =>
  isNumeric ? { class: "number" } : {}

/**
 * The first column of a table names each row. A table can take the focus, so that arrow keys scroll it. ARIA
 * roles keep a table a table on a narrow screen, where each row is a block.
 */
export const table = <Row>(
  caption: string,
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>
): Element => {
  const head = columns.map((column) =>
    element("th", { scope: "col", role: "columnheader", ...kindOf(column) }, column.title))
  const body = rows.map((row) =>
    element("tr", { role: "row" }, ...columns.map((column, index) =>
      index === 0
        ? element("th", { scope: "row", role: "rowheader", ...kindOf(column) }, column.cell(row))
        : element("td", { role: "cell", "data-label": column.title, ...kindOf(column) }, column.cell(row)))))
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element(
      "table",
      { role: "table" },
      element("caption", {}, caption),
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...head)),
      element("tbody", { role: "rowgroup" }, ...body)
    )
  )
}

export interface Fact {
  readonly name: string
  readonly value: string
}

export const facts = (caption: string, rows: ReadonlyArray<Fact>): Element =>
  table<Fact>(caption, [
    { title: "Figure", cell: ({ name }) => name }, figures("Value", ({ value }) => value)
  ], rows)

export const asTable = (content: Element): Element => folded("The same as a table", content)
