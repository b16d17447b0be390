/* A page in a single file without a script, for mail and print. */
import { element, type Element } from "./Element.ts"
import { htmlOf } from "./Html.ts"
import { style } from "./Style.ts"

/** The content policy: the page loads nothing and runs no script. */
const policy = "default-src 'none'; style-src 'unsafe-inline'"

interface StaticPage {
  readonly title: string
  readonly subtitle: string
  readonly sections: ReadonlyArray<Element>
  readonly foot: string
}

/** The page as HTML. */
export const staticPage = ({ foot, sections, subtitle, title }: StaticPage): string => {
  const head = element(
    "head",
    {},
    element("meta", { charset: "utf-8" }),
    element("meta", { "http-equiv": "Content-Security-Policy", content: policy }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    element("meta", { name: "color-scheme", content: "light dark" }),
    element("title", {}, title)
  )
  const body = element(
    "body",
    {},
    element("header", {}, element("div", { class: "brand" },
      element("h1", {}, "Sextant"), element("p", {}, subtitle))),
    element("main", {}, ...sections),
    element("footer", {}, element("p", {}, foot))
  )
  // The style sheet needs no escaping.
  const styled = htmlOf(head).replace("</head>", () => `<style>${style}</style></head>`)
  return `<!doctype html>\n<html lang="en">${styled}${htmlOf(body)}</html>\n`
}
