/* A page in a single file without a script, for mail and print. */
import { type Content, element, type Element } from "./Element.ts"
import { htmlOf } from "./Html.ts"
import { style } from "./Style.ts"

export interface StaticPage {
  readonly title: string
  readonly brand?: string
  readonly subtitle: string
  readonly sections: ReadonlyArray<Element>
  readonly foot: Content
  /** The whole style sheet. `styleSource` is the source of styles that the content security policy allows. */
  readonly styles?: string
  readonly styleSource?: string
}

/** The page as HTML, whose content security policy allows styles, and neither scripts nor other files. */
export const staticPage = (
  { brand = "Sextant", foot, sections, styles = style, styleSource = "'unsafe-inline'", ...page }: StaticPage
): string => {
  const policy = `default-src 'none'; style-src ${styleSource}; base-uri 'none'; form-action 'none'`
  const head = element(
    "head",
    {},
    element("meta", { charset: "utf-8" }),
    element("meta", { "http-equiv": "Content-Security-Policy", content: policy }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    element("meta", { name: "color-scheme", content: "light dark" }),
    element("meta", { name: "referrer", content: "no-referrer" }),
    element("title", {}, page.title)
  )
  const body = element(
    "body",
    {},
    element("header", {}, element("div", { class: "brand" },
      element("h1", {}, brand), element("p", {}, page.subtitle))),
    element("main", {}, ...sections),
    element("footer", {}, foot)
  )
  // The style sheet needs no escaping.
  const styled = htmlOf(head).replace("</head>", () => `<style>${styles}</style></head>`)
  return `<!doctype html>\n<html lang="en">${styled}${htmlOf(body)}</html>\n`
}
