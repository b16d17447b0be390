/*
 * The site of `/docs`: pages of Markdown in, files out. The navigation is what `README.md` links to. Links are relative
 * to the page's URL, since a proxy may have put a path before it.
 */
import { Marked, type Tokens } from "marked"
import { posix } from "node:path"
import type { Section } from "./Search.ts"

/** The pages by their path in `docs`. */
export type Pages = ReadonlyMap<string, string>

/** The page of contents. */
const contents = "README.md"

/** Paths of the service that a page may name in code; they become links. */
const ownPaths = new Set(["/docs/reference", "/dashboard", "/openapi.json"])

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** The path at which a page is served, without a slash before it. */
const urlOf = (page: string): string => page === contents ? "docs" : `docs/${page.replace(/\.md$/, "")}`

/** A relative link from one URL to another. */
const hrefTo = (from: string, to: string): string =>
  posix.join(posix.relative(posix.dirname(from), posix.dirname(to)), posix.basename(to))

/** Markdown of one line as its words alone. */
const plain = (markdown: string): string => markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "")

export const titleOf = (markdown: string): string => plain(/^# (.+)$/m.exec(markdown)?.[1] ?? "")

/** Gives each heading of a page its anchor, as GitHub does. */
const anchors = () => {
  const counts = new Map<string, number>()
  return (heading: string): string => {
    const anchor = plain(heading).toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  }
}

/** The page that a link in `page` names, as its path in `docs`, and the anchor with its `#`. */
const targetOf = (page: string, link: string) => {
  const [path = "", anchor] = link.split("#")
  const target = path === "" ? page : posix.join(posix.dirname(page), path)
  return { target, anchor: anchor === undefined ? "" : `#${anchor}` }
}

/** The body of a page. */
const bodyOf = (pages: Pages, page: string): string => {
  const anchorOf = anchors()
  const url = urlOf(page)
  const marked = new Marked({
    renderer: {
      heading({ depth, text, tokens }: Tokens.Heading) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, text, tokens }: Tokens.Link) {
        const words = this.parser.parseInline(tokens)
        if (/^https?:/.test(href)) return `<a href="${escaped(href)}">${words}</a>`
        const { anchor, target } = targetOf(page, href)
        if (pages.has(target)) return `<a href="${hrefTo(url, urlOf(target))}${escaped(anchor)}">${words}</a>`
        // The service has no repository to lead to.
        const path = posix.join("docs", target)
        const code = `<code>${escaped(path)}</code>`
        return /^`.*`$/.test(text) || text === path ? code : `${words} (${code})`
      },
      image({ href, text }: Tokens.Image) {
        const { target } = targetOf(page, href)
        return `<img src="${hrefTo(url, `docs/${target}`)}" alt="${escaped(text)}">`
      },
      codespan({ text }: Tokens.Codespan) {
        const code = `<code>${escaped(text)}</code>`
        return ownPaths.has(text) ? `<a href="${hrefTo(url, text.slice(1))}">${code}</a>` : code
      },
      code({ lang, text }: Tokens.Code) {
        return `<pre tabindex="0"><code data-language="${escaped(lang ?? "")}">${escaped(text)}</code></pre>\n`
      }
    }
  })
  return marked.parse(pages.get(page) ?? "", { async: false })
    // A head without words is none to a screen reader.
    .replace(/<th([^>]*)><\/th>/g, "<td$1></td>")
    .replaceAll("<table>", `<div class="wide" tabindex="0"><table>`).replaceAll("</table>", "</table></div>")
}

interface Group {
  readonly title: string
  readonly pages: ReadonlyArray<string>
}

/** The navigation: the pages that each heading of the contents links to, each at its first mention. */
export const groupsOf = (pages: Pages): ReadonlyArray<Group> => {
  const seen = new Set([contents])
  const [, ...parts] = (pages.get(contents) ?? "").split(/^## /m)
  return parts.map((part) => {
    const links = [...part.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => targetOf(contents, link).target)
    const own = [...new Set(links)].filter((page) => pages.has(page) && !seen.has(page))
    for (const page of own) seen.add(page)
    return { title: plain(part.split("\n")[0] ?? ""), pages: own }
  }).filter((group) => group.pages.length > 0)
}

/** The sections of a page for the search: each heading with the text below it. */
const sectionsOf = (page: string, markdown: string): ReadonlyArray<Section> => {
  const anchorOf = anchors()
  const code: Array<string> = []
  // A comment in a block of code is no heading.
  const text = markdown.replace(/^```.*\n([\s\S]*?)^```/gm, (_, block: string) => `\u0000${code.push(block) - 1}\u0000`)
  return text.split(/^(?=#{1,6} )/m).map((part) => {
    const [heading = "", ...lines] = part.split("\n")
    const title = plain(heading.replace(/^#+ /, ""))
    // The second line of a table separates its heads.
    const below = lines.filter((line) => !/^[-:| ]+$/.test(line)).join(" ")
      .replace(/\u0000(\d+)\u0000/g, (_, index: string) => code[Number(index)] ?? "")
    return {
      page: titleOf(markdown), heading: title, url: `${urlOf(page)}#${anchorOf(title)}`,
      text: plain(below).replace(/[|\s]+/g, " ").trim()
    }
  })
}

const linkTo = (from: string, page: string, pages: Pages, attributes = ""): string =>
  `<a href="${hrefTo(urlOf(from), urlOf(page))}"${attributes}>${escaped(titleOf(pages.get(page) ?? ""))}</a>`

const navigation = (pages: Pages, page: string): string =>
  groupsOf(pages).map((group) => {
    const items = group.pages.map((each) =>
      `<li>${linkTo(page, each, pages, each === page ? ` aria-current="page"` : "")}</li>`)
    return `<h2>${escaped(group.title)}</h2>\n<ul>\n${items.join("\n")}\n</ul>`
  }).join("\n")

/** The links to the page before and the page after. */
const neighbours = (pages: Pages, page: string): string => {
  const order = groupsOf(pages).flatMap((group) => group.pages)
  const at = order.indexOf(page)
  const [before, after] = at < 0 ? [undefined, undefined] : [order[at - 1], order[at + 1]]
  return `<nav class="neighbours" aria-label="Before and after">
${before === undefined ? "" : `<p>Before: ${linkTo(page, before, pages)}</p>`}
${after === undefined ? "" : `<p>Next: ${linkTo(page, after, pages)}</p>`}
</nav>`
}

const htmlOf = (pages: Pages, page: string): string => {
  const href = (to: string): string => hrefTo(urlOf(page), to)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="command" content="sextant">
<title>${escaped(titleOf(pages.get(page) ?? ""))} · Sextant</title>
<link rel="icon" href="${href("dashboard/icon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${href("docs/style.css")}">
<script type="module" src="${href("docs/docs.js")}"></script>
</head>
<body>
<a class="skip" href="#page">Skip to the page</a>
<header>
<p class="brand"><a href="${href("docs")}">Sextant’s documentation</a></p>
<form id="search" role="search" hidden>
<label for="words">Search</label>
<input id="words" type="search" autocomplete="off" spellcheck="false">
<div id="results" hidden><p id="count" role="status"></p><ol></ol></div>
</form>
<form id="key-form" aria-label="Your key in the code" hidden>
<label for="key">Your key</label>
<input id="key" type="password" autocomplete="off" spellcheck="false" required placeholder="sxt_…" maxlength="400"
  pattern="sxt_[\\w\\-]+" title="A key begins with sxt_" aria-describedby="key-note">
<button type="submit">Fill in</button>
<button type="button" id="forget">Forget</button>
<p id="key-note">It fills in the code on these pages. It stays in this tab, and is sent nowhere.</p>
</form>
</header>
<nav class="contents" aria-label="Contents">
${navigation(pages, page)}
<h2>Of this service</h2>
<ul>
<li><a href="${href("docs/reference")}">API reference</a></li>
<li><a href="${href("dashboard")}">Dashboard</a></li>
</ul>
</nav>
<main id="page" tabindex="-1">
${bodyOf(pages, page)}
${neighbours(pages, page)}
</main>
<p id="said" role="status"></p>
</body>
</html>
`
}

/** The files of the site by name: a page each, and what the search looks through. */
export const siteOf = (pages: Pages): ReadonlyMap<string, string> =>
  new Map([
    ...[...pages.keys()].map((page) =>
      [page === contents ? "index.html" : page.replace(/\.md$/, ".html"), htmlOf(pages, page)] as const),
    ["search.json", JSON.stringify(
      [...pages].filter(([page]) => page !== contents).flatMap(([page, text]) => sectionsOf(page, text))
    )]
  ])
