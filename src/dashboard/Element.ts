import { shown } from "../domain/text/HiddenCharacters.ts"

export type Child = Node | string | null

/**
 * An element with attributes and children; null children are left out. Text is never read as markup, and
 * what callers named themselves comes without characters that turn a line around.
 */
export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[Tag] => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, shown(value))
  const texts = children.filter((child) => child !== null)
  made.append(...texts.map((child) => typeof child === "string" ? shown(child) : child))
  return made
}

/** A section under a heading, named by it. */
export const section = (id: string, title: string, ...children: ReadonlyArray<Child>): HTMLElement =>
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
  readonly cell: (row: Row) => Child
  /** Right-aligned, for figures that are compared down the column. */
  readonly isNumeric?: boolean
}

const kindOf = <Row>({ isNumeric = false }: Column<Row>): Readonly<Record<string, string>> =>
  isNumeric ? { class: "number" } : {}

/**
 * A table whose first column heads the rows. It scrolls sideways by itself where it is too wide, and can take
 * the focus so that the arrow keys reach what is hidden. On a narrow screen the style sheet turns each row
 * into a paragraph, hence the labels, and the roles that would otherwise be lost with the layout.
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

/** What a chart shows, for those who would rather read it. */
export const asTable = (content: HTMLElement): HTMLElement =>
  element("details", {}, element("summary", {}, "The same as a table"), content)
