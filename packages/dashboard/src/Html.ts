/* Writes elements as HTML or SVG. */
import type { Element } from "./Element.ts"

const empty: ReadonlySet<string> = new Set(["br", "hr", "img", "input", "link", "meta"])

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (found) => entities[found] ?? found)

/** The element as HTML or SVG; every text and attribute value is escaped. */
export const htmlOf = (content: Element | string): string => {
  if (typeof content === "string") return escaped(content)
  const { attributes, children, tag } = content
  const named = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`).join("")
  return empty.has(tag) ? `<${tag}${named}>` : `<${tag}${named}>${children.map(htmlOf).join("")}</${tag}>`
}
