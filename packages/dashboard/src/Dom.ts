/* Puts elements on the page of a browser, and changes only what is another than before. */
import { type ComponentChild, h, render } from "preact"
import type { Element } from "./Element.ts"

const nodeOf = (content: Element | string): ComponentChild =>
  typeof content === "string"
    ? content
    : h(content.tag, { ...content.attributes }, ...content.children.map(nodeOf))

/** Shows the elements in a place of the document, in the place of those that were shown there before. */
export const show = (place: globalThis.Element, elements: ReadonlyArray<Element>): void =>
  render(elements.map(nodeOf), place)
