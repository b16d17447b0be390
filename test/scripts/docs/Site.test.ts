import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { found, type Section } from "../../../scripts/docs/Search.ts"
import { groupsOf, siteOf, titleOf } from "../../../scripts/docs/Site.ts"

const contents = "# Docs\n\nTwo books.\n\n## Using\n- [One](using/one.md), [two](using/two.md#a): words\n\n## Running\n- [Three](running/three.md)\n"
const small = (one: string) =>
  siteOf(new Map([
    ["README.md", contents], ["using/one.md", one], ["using/two.md", "# Two\n"], ["running/three.md", "# Three & `four`\n"]
  ]))
const pageOf = (one: string): string => small(one).get("using/one.html") ?? ""

const sectionsIn = (site: ReadonlyMap<string, string>) =>
  JSON.parse(site.get("search.json") ?? "") as ReadonlyArray<Section>

describe("the site of the documentation", () => {
  it("has a page for each file, whose links a browser follows from its own URL", () => {
    const site = small("# One\n[two](two.md#a-b), [three](../running/three.md), [docs](../README.md), [here](#x), [web](https://a.example/)")
    assert.sameMembers([...site.keys()], ["index.html", "using/one.html", "using/two.html", "running/three.html", "search.json"])
    const leads = (page: string, at: string) =>
      [...(site.get(page) ?? "").matchAll(/href="([^"]+)"/g)].map(([, href = ""]) => new URL(href, `https://a.example/p/${at}`).href)
    const expected = ["using/two", "running/three", "../docs", "style.css", "reference", "../dashboard"]
    for (const [page, at] of [["index.html", "docs"], ["using/one.html", "docs/using/one"], ["running/three.html", "docs/running/three"]]) {
      const all = leads(page ?? "", at ?? "")
      for (const path of expected) assert.include(all, new URL(path, "https://a.example/p/docs/").href, page)
    }
    assert.includeMembers(leads("using/one.html", "docs/using/one"), [
      "https://a.example/p/docs/using/two#a-b", "https://a.example/p/docs/using/one#x", "https://a.example/"
    ])
  })

  it("names files of the repository that it cannot lead to, and each once", () => {
    assert.include(pageOf("# One\n[the suite](../../test/a.test.ts)"), "the suite (<code>test/a.test.ts</code>)")
    assert.include(pageOf("# One\nSee [`test/a.test.ts`](../../test/a.test.ts)."), "See <code>test/a.test.ts</code>.")
  })

  it("gives headings the anchors of a forge, and counts those that are there twice", () => {
    const page = pageOf("# One\n## A `b`, c!\n## A b c\n### Über 1")
    assert.deepStrictEqual([...page.matchAll(/<h[23] id="([^"]+)"/g)].map(([, id]) => id), ["a-b-c", "a-b-c-1", "über-1"])
  })

  it("escapes what stands in code, and keeps its language for the script", () => {
    const page = pageOf("# One\n```sh\necho \"<script>\" & \n```\n`<b>` and `/docs/reference`")
    assert.include(page, `<code data-language="sh">echo &#34;&#60;script&#62;&#34; &#38; </code>`)
    assert.include(page, "<code>&#60;b&#62;</code>")
    assert.include(page, `<a href="../reference"><code>/docs/reference</code></a>`)
  })

  it("has no script or style in a page, and nothing of another host", () => {
    for (const [name, text] of small("# One\ntext")) {
      assert.notMatch(text, /<script(?![^>]* src=)|<style|style=|\son\w+=|(?:src|href)="(?:https?:)?\/\//, name)
    }
  })

  it("finds the text below each heading, but not comments in code or the contents", () => {
    const sections = sectionsIn(small("# One\nFirst `word`.\n## Next\n| a | b |\n|---|---|\n| c | d |\n```sh\n# no heading\nls\n```\n"))
    assert.deepStrictEqual(sections.filter(({ page }) => page === "One"), [
      { page: "One", heading: "One", url: "docs/using/one#one", text: "First word." },
      { page: "One", heading: "Next", url: "docs/using/one#next", text: "a b c d # no heading ls" }
    ])
    assert.isFalse(sections.some(({ page }) => page === "Docs"))
  })
})

describe("the pages of the repository", () => {
  const docs = join(import.meta.dirname, "../../../docs")
  const pages = new Map(globSync("**/*.md", { cwd: docs }).map((path) => [path, readFileSync(join(docs, path), "utf8")]))
  const site = siteOf(pages)

  it("are all in the navigation, under a heading of the contents", () => {
    const listed = groupsOf(pages).flatMap((group) => group.pages)
    assert.sameMembers(listed, [...pages.keys()].filter((page) => page !== "README.md"))
  })

  it("answer the questions of somebody new with the first result", () => {
    const sections = sectionsIn(site)
    for (
      const [question, page] of [
        ["how do I run it with Docker?", "start#docker"], ["Kubernetes", "start#kubernetes"], ["from LiteLLM", "frameworks#from-litellm"],
        ["OpenRouter", "frameworks#from-openrouter"], ["the slider in money and quality", "ask-and-report#the-slider"],
        ["chats and agents", "agents-and-retries"], ["prompt caching", "frameworks#prompt-caching"],
        ["verdicts without work", "verdicts"], ["EU only", "teams#eu-only"], ["what does a wrong pick cost?", "verdicts#what-a-wrong-pick"],
        ["a retiring model", "retire-a-model"], ["how do I know it works?", "ask-and-report#how-do-i-know"],
        ["turn it off", "turn-it-off"], ["what leaves my network", "what-leaves-my-network"], ["how do I scale?", "scaling"],
        ["what if it is down?", "turn-it-off"]
      ] as const
    ) assert.match(found(sections, question)[0]?.url ?? "", new RegExp(`^docs/(using|running)/${page}`), question)
  })

  it("are found by the words of their title, and each section by its own", () => {
    const sections = sectionsIn(site)
    assert.isAbove(sections.length, 100)
    for (const [page, text] of pages) {
      if (page === "README.md") continue
      assert.strictEqual(found(sections, titleOf(text))[0]?.page, titleOf(text), page)
    }
    for (const section of sections) {
      const results = found(sections, `${section.page} ${section.heading}`)
      assert.include(results.map(({ url }) => url), section.url)
    }
  })
})
