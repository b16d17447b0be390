/* The styles of the start page, in the colours of the dashboard. */

export const style = `
:root {
  --page: #f6f6f3; --surface: #ffffff; --text: #1b1d22;
  --muted: #565b66; --line: #dcdcd6; --accent: #1d4ed8;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14161a; --surface: #1d2026; --text: #eceef2;
    --muted: #a9b0bd; --line: #363b45; --accent: #8fb1ff;
  }
}
* { box-sizing: border-box; }
body {
  max-width: 52rem; margin: 0 auto; padding: clamp(1.25rem, 5vw, 3rem) clamp(1rem, 4vw, 2rem) 4rem;
  background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
}
h1, h2 { line-height: 1.2; margin: 0; letter-spacing: -0.01em; }
h1 { font-size: 2rem; }
h2 { font-size: 1.25rem; margin-top: 2.25rem; }
p { margin: 0.5rem 0; }
header p { color: var(--muted); margin: 0.15rem 0 0; }
.lead { font-size: 1.1rem; margin: 1.25rem 0 1.5rem; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
nav { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 0.75rem; }
nav a {
  display: block; padding: 0.85rem 1rem; border: 1px solid var(--line); border-radius: 10px;
  background: var(--surface); color: var(--muted); text-decoration: none;
}
nav a:hover { border-color: var(--accent); }
nav strong { display: block; color: var(--accent); }
code { font: 0.9rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre {
  margin: 0.6rem 0; padding: 0.85rem 1rem; border: 1px solid var(--line); border-radius: 8px;
  background: var(--surface); white-space: pre-wrap; overflow-wrap: anywhere;
}
details { border-top: 1px solid var(--line); }
details:last-of-type { border-bottom: 1px solid var(--line); }
summary { padding: 0.7rem 0.25rem; font-weight: 600; cursor: pointer; }
details[open] { padding-bottom: 0.75rem; }
`
