/* Styles as attributes of elements, because many mail programs drop a style sheet. */
import type { Element } from "./Element.ts"

/** Styles by tag. No style sets a text or background colour, so that a light or dark scheme holds. */
const ofTag: Readonly<Record<string, string>> = {
  section: "font-family:Arial,sans-serif;font-size:15px;line-height:1.5",
  h2: "font-size:22px;line-height:1.3;margin:4px 0 12px",
  h3: "font-size:17px;line-height:1.3;margin:0 0 6px",
  p: "margin:4px 0",
  ul: "margin:8px 0;padding:0;list-style:none",
  pre: "white-space:pre-wrap;word-break:break-word;font-size:13px",
  table: "border-collapse:collapse;width:100%;font-size:14px",
  caption: "text-align:left;font-weight:bold;padding:6px 0",
  th: "text-align:left;padding:6px;border-bottom:1px solid #888888",
  td: "padding:6px;border-bottom:1px solid #888888"
}

const ofClass: Readonly<Record<string, string>> = {
  number: "text-align:right",
  card: "border:1px solid #888888;border-radius:8px;padding:12px;margin:8px 0",
  figure: "font-size:24px;font-weight:bold;margin:2px 0"
}

/** The element and its children with their styles as attributes; an element's own style comes last. */
export const inMail = ({ attributes, children, tag }: Element): Element => {
  const names = (attributes["class"] ?? "").split(" ")
  const { style: own } = attributes
  const looks = [ofTag[tag], ...names.map((name) => ofClass[name]), own].filter((each) => each !== undefined)
  return {
    tag,
    attributes: looks.length === 0 ? attributes : { ...attributes, style: looks.join(";") },
    children: children.map((child) => typeof child === "string" ? child : inMail(child))
  }
}
