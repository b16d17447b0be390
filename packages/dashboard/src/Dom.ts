/* Puts elements on the page of a browser. */
import type { Element } from "./Element.ts"

const pictureNamespace = "http://www.w3.org/2000/svg"

/** The node of an element, and of all below it. */
export const domOf = (content: Element, isPicture = false): globalThis.Element => {
  const { attributes, children, tag } = content
  const isDrawn = isPicture || tag === "svg"
  const made = isDrawn ? document.createElementNS(pictureNamespace, tag) : document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children.map((child) => typeof child === "string" ? child : domOf(child, isDrawn)))
  return made
}
