/* The API as the server documents it: with an example of each answer, which clients do not load. */
import { OpenApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import { Api } from "../api/Api.ts"
import { readableDocument } from "../api/Document.ts"

type Answers = Readonly<Record<string, unknown>>

/** The parts of a document that an example is put into. */
interface Documented {
  readonly paths: Readonly<Record<string, Readonly<Record<string, {
    readonly operationId: string
    readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>
  }>>>>
}

const mapped = <A, B>(values: Readonly<Record<string, A>>, change: (value: A, name: string) => B) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]))

/** The document with these answers, by operation, as the examples of its 200s. */
const withAnswers = (document: Documented, answers: Answers) => ({
  ...document,
  paths: mapped(document.paths, (path) =>
    mapped(path, (operation) => ({
      ...operation,
      responses: mapped(operation.responses, (response, status) =>
        status === "200" && operation.operationId in answers && response.content !== undefined
          ? { ...response, content: mapped(response.content, (media) =>
            ({ ...media, example: answers[operation.operationId] })) }
          : response)
    })))
})

/** Answers that the service gave, by operation; `test/http/Answers.test.ts` writes them. */
const readAnswers = (): Answers =>
  // Beside this file in src and, because the build copies it, in dist; the test decodes every one of them.
  JSON.parse(readFileSync(new URL("./answers.json", import.meta.url), "utf8")) as Answers

/** The API whose document has examples of answers. */
export const DocumentedApi = Api.annotateMerge(OpenApi.annotations({
  // HttpApi has just built the document, of which this reads what every document has.
  transform: (document) => withAnswers(readableDocument(document) as unknown as Documented, readAnswers())
}))
