/* The page that a browser gets at `/`. It has no script, loads only its icon, and contains no key. */
import { createHash } from "node:crypto"
import { version } from "../../domain/Version.ts"
import { clientPaths } from "../ClientsHttp.ts"

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const style = `
:root {
  --page: #f6f6f3; --surface: #ffffff; --text: #1b1d22; --muted: #565b66; --line: #dcdcd6; --accent: #1d4ed8;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14161a; --surface: #1d2026; --text: #eceef2;
    --muted: #a9b0bd; --line: #363b45; --accent: #8fb1ff;
  }
}
body {
  max-width: 46rem; margin: 0 auto; padding: 2rem 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif;
}
h1, h2 { line-height: 1.2; margin: 1.5rem 0 0; }
p { margin: 0.5rem 0; }
header p { color: var(--muted); }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
pre {
  padding: 0.85rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--surface);
  font: 0.9rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
}
`

const request = (url: string): string => `curl -s ${url}/v1/recommend \\
  -H "authorization: Bearer $SEXTANT_KEY" -H 'content-type: application/json' \\
  -d '{"task":{"task":"Fix this failing unit test"},
       "constraints":{"candidate_models":
         ["gpt-5.5","gpt-5.4-mini","claude-sonnet-5"]}}'`

/** The command for Sextant's command-line program: npm in a checkout, `sextant` in a package or an image. */
export const sextantCommand = import.meta.url.endsWith(".ts") ? "npm run -s sextant --" : "sextant"

export const firstInstance = "local"

export const startPage = (url: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Sextant</title>
    <link rel="icon" href="dashboard/icon.svg" type="image/svg+xml">
    <style>${style}</style>
  </head>
  <body>
    <header>
      <h1>Sextant</h1>
      <p>This service is running. Version ${escaped(version)}.</p>
    </header>
    <main>
      <p>Sextant recommends a language model for each task, and learns from how the calls go.</p>
      <h2>Your key</h2>
      <p>The first start with the built-in database prints a key in its terminal, once. Where it is lost,
        create another of the same account, on the machine of the service. With a database of your own, put
        your account's name in place of <code>${firstInstance}</code>:</p>
      <pre><code>${sextantCommand} keys create --instance ${firstInstance}</code></pre>
      <p>Put it into the environment of your program as <code>SEXTANT_KEY</code>. It belongs on a server,
        never into a browser.</p>
      <h2>A first request</h2>
      <pre><code>${escaped(request(url))}</code></pre>
      <h2>Its client</h2>
      <p>In TypeScript and JavaScript, or in Python; of this service's version:</p>
      <pre><code>npm install ${escaped(url + clientPaths.npm)}
pip install ${escaped(url + clientPaths.pip)}</code></pre>
      <nav aria-label="Pages">
        <h2>From here</h2>
        <ul>
          <li><a href="docs">Documentation</a>: how to begin, the lines for your SDK, and how it is run</li>
          <li><a href="docs/reference">API reference</a>: every operation with samples</li>
          <li><a href="dashboard">Dashboard</a>: what it saved, and whether predictions came true</li>
          <li><a href="openapi.json">OpenAPI</a>: the document, for generators of clients</li>
        </ul>
      </nav>
    </main>
  </body>
</html>
`

/** The policy allows the page's styles by their hash, and images of this service, and nothing else. */
export const startPagePolicy = [
  "default-src 'none'", `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
].join("; ")
