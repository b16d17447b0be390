/* Builds the elements of the page: sections, notes and tables. */
import { shown } from "../domain/text/HiddenCharacters.ts"

type ChildContent = Node | string | null

/**
 * An element with attributes and children; null children are left out. Text is never parsed as markup, and
 * hidden characters in it, such as those that reverse the direction of a line, are escaped.
 */
export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: ReadonlyArray<ChildContent>
): HTMLElementTagNameMap[Tag] => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, shown(value))
  const texts = children.filter((child) => child !== null)
  made.append(...texts.map((child) => typeof child === "string" ? shown(child) : child))
  return made
}

/** A section with a heading, by which it is labelled. */
export const section = (id: string, title: string, ...children: ReadonlyArray<ChildContent>): HTMLElement =>
  element(
    "section",
    { "aria-labelledby": id },
    element("h2", { id }, title),
    ...children
  )

export const paragraph = (text: string): HTMLElement => element("p", {}, text)
export const note = (text: string): HTMLElement => element("p", { class: "note" }, text)

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ChildContent
  /** Right-aligned, for figures that are compared down the column. */
  readonly isNumeric?: boolean
}

const kindOf = <Row>({ isNumeric = false }: Column<Row>): Readonly<Record<string, string>> =>
  isNumeric ? { class: "number" } : {}

/**
 * A table whose first column contains the headers of the rows. A table that is too wide scrolls sideways, and
 * takes the focus so that arrow keys scroll it. On a narrow screen the style sheet turns each row into a
 * paragraph; the labels and roles keep the meaning of the cells there.
 */
export const table = <Row>(
  caption: string,
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>
): HTMLElement => {
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

/** The figures of a chart as a table, for readers who prefer it. */
export const asTable = (content: HTMLElement): HTMLElement =>
  element("details", {}, element("summary", {}, "The same as a table"), content)
