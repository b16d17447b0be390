/* Makes samples of code for every operation of the document, in curl, TypeScript and Python. The samples
   of code read the service's URL and the key from `SEXTANT_URL` and `SEXTANT_KEY`. */

export interface SampledOperation {
  readonly description?: string
  readonly security?: ReadonlyArray<unknown>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
}

interface SampleCall {
  readonly method: string
  /** The path, with the query of the example. */
  readonly path: string
  readonly needsKey: boolean
  /** The example of the request's JSON body; undefined if there is none. */
  readonly body: unknown
}

interface CodeSample {
  readonly lang: string
  readonly label: string
  readonly source: string
}

const json = "application/json"

/** Returns the first example `GET <path>?…` of the description; the path alone if there is no example. */
const pathIn = (description: string, path: string): string => {
  const examples = [...description.matchAll(/`GET (\/[^`\s]+)`/g)].map(([, example = ""]) => example)
  return examples.find((example) => example.startsWith(`${path}?`)) ?? path
}

const indent = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`)

const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2)

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

const curlOf = ({ body, method, needsKey, path }: SampleCall): string => [
  `curl -sS ${method === "GET" ? "" : `-X ${method} `}"$SEXTANT_URL${path}"`,
  ...(needsKey ? ['-H "authorization: Bearer $SEXTANT_KEY"'] : []),
  ...(body === undefined ? [] : [`-H 'content-type: ${json}'`, `-d ${quoted(jsonOf(body))}`])
].join(" \\\n  ")

const typeScriptOf = ({ body, method, needsKey, path }: SampleCall): string => {
  const headers = [
    ...(needsKey ? ["authorization: `Bearer ${process.env.SEXTANT_KEY}`"] : []),
    ...(body === undefined ? [] : [`"content-type": "${json}"`])
  ]
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}"`]),
    ...(headers.length === 0 ? [] : [`headers: {\n    ${headers.join(",\n    ")}\n  }`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${indent(jsonOf(body), "  ")})`])
  ]
  const given = options.length === 0 ? "" : `, {\n  ${options.join(",\n  ")}\n}`
  return [
    `const response = await fetch(\`\${process.env.SEXTANT_URL}${path}\`${given})`,
    "if (!response.ok) throw new Error(await response.text())",
    "console.log(await response.json())"
  ].join("\n")
}

const pythonValue = (value: unknown, by = ""): string => {
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (typeof value !== "object") return JSON.stringify(value)
  const deeper = `${by}    `
  const isList = Array.isArray(value)
  const members = isList
    ? value.map((each: unknown) => pythonValue(each, deeper))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${pythonValue(each, deeper)}`)
  const [open, close] = isList ? ["[", "]"] : ["{", "}"]
  return members.length === 0
    ? `${open}${close}`
    : `${open}\n${deeper}${members.join(`,\n${deeper}`)},\n${by}${close}`
}

const pythonOf = ({ body, method, needsKey, path }: SampleCall): string => {
  const headers = [
    ...(needsKey ? ['"authorization": "Bearer " + os.environ["SEXTANT_KEY"]'] : []),
    ...(body === undefined ? [] : [`"content-type": "${json}"`])
  ]
  return [
    "import json",
    "import os",
    "import urllib.request",
    "",
    ...(body === undefined ? [] : [`body = ${pythonValue(body)}`]),
    "request = urllib.request.Request(",
    `    os.environ["SEXTANT_URL"] + ${JSON.stringify(path)},`,
    ...(method === "GET" ? [] : [`    method="${method}",`]),
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(", ")}},`]),
    ...(body === undefined ? [] : ["    data=json.dumps(body).encode(),"]),
    ")",
    "with urllib.request.urlopen(request) as response:",
    "    print(json.load(response))"
  ].join("\n")
}

export const samplesOf = (
  operation: SampledOperation,
  method: string,
  path: string
): ReadonlyArray<CodeSample> => {
  const call: SampleCall = {
    method: method.toUpperCase(),
    path: pathIn(operation.description ?? "", path),
    needsKey: (operation.security ?? []).length > 0,
    body: operation.requestBody?.content[json]?.example
  }
  return [
    { lang: "shell", label: "curl", source: curlOf(call) },
    { lang: "typescript", label: "TypeScript", source: typeScriptOf(call) },
    { lang: "python", label: "Python", source: pythonOf(call) }
  ]
}
