/* Shows elements in a browser; unchanged nodes of the document stay. */
import { type ComponentChild, h, render } from "preact"
import type { Element } from "./Element.ts"

const nodeOf = (content: Element | string): ComponentChild =>
  typeof content === "string"
    ? content
    : h(content.tag, { ...content.attributes }, ...content.children.map(nodeOf))

/** Shows the elements in a node of the document, and replaces those shown there before. */
export const show = (place: globalThis.Element, elements: ReadonlyArray<Element>): void =>
  render(elements.map(nodeOf), place)
