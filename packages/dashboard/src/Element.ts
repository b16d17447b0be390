/* Elements of a page as plain values, and the building blocks of its sections. */
import { shown } from "../../../src/domain/text/HiddenCharacters.ts"

/**
 * An element of HTML or SVG. `Html.ts` writes it as text, and `Dom.ts` shows it in a browser. Neither reads a
 * text as markup.
 */
export interface Element {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: ReadonlyArray<Element | string>
}

export type Content = Element | string | null

/**
 * An element with attributes and children; null children are left out. Hidden characters are escaped, for
 * example one that reverses the direction of a line.
 */
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

/** A link that adds its query to the selection; `state` is for example `?model=gpt-5`. */
export const stateLink = (words: string, state: string): Element =>
  element("a", { href: state, "data-state": state }, words)

/** A section that is labelled by its heading. */
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

/** A button that saves the figures of a section as a file. */
export const exportButton = (section: string, words: string): Element =>
  element("button", {
    type: "button", class: "export", "data-export": section, "aria-label": `Export CSV: ${words}`
  }, "Export CSV")

/** A command or a part of a request, as code. */
export const command = (line: string): Element => element("pre", {}, element("code", {}, line))

/** Content that is folded away until its summary is selected. */
export const folded = (summary: string, ...content: ReadonlyArray<Content>): Element =>
  element("details", {}, element("summary", {}, summary), ...content)

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => Content
  /** True for a right-aligned column of figures. */
  readonly isNumeric?: boolean
}

/** A right-aligned column of figures. */
export const figures = <Row>(title: string, cell: (row: Row) => Content): Column<Row> =>
  ({ title, cell, isNumeric: true })

const kindOf = <Row>({ isNumeric = false }: Column<Row>): Readonly<Record<string, string>> =>
  isNumeric ? { class: "number" } : {}

/**
 * A table; its first column has the headers of the rows. A wide table scrolls sideways, and takes the focus
 * so that arrow keys scroll it. On a narrow screen the style sheet turns each row into a paragraph, and the
 * labels and roles keep the meaning of the cells.
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

/** A table of named figures. */
export const facts = (caption: string, rows: ReadonlyArray<Fact>): Element =>
  table<Fact>(caption, [
    { title: "Figure", cell: ({ name }) => name }, figures("Value", ({ value }) => value)
  ], rows)

/** The figures of a chart as a folded table. */
export const asTable = (content: Element): Element => folded("The same as a table", content)
