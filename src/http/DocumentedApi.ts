/* The API as the server documents it: with examples and samples of code, which clients do not load. */
import { OpenApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import { Api } from "../api/Api.ts"
import { readableDocument } from "../api/Document.ts"
import { type SampledOperation, withCodeSamples } from "./CodeSamples.ts"
import { withGuides } from "./Guides.ts"

type Answers = Readonly<Record<string, unknown>>

interface Media {
  readonly example?: unknown
}

interface Operation extends SampledOperation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

/** The parts of a document that examples and samples are put into. */
interface Documented {
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
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

/** The document with the examples of answers by name: Scalar ignores a lone `example` of an answer. */
const withNamedExamples = <D extends Documented>(document: D) => ({
  ...document,
  paths: mapped(document.paths, (path) =>
    mapped(path, (operation) => ({
      ...operation,
      responses: mapped(operation.responses, (response) =>
        response.content === undefined
          ? response
          : { ...response, content: mapped(response.content, ({ example, ...media }) =>
            example === undefined ? media : { ...media, examples: { answer: { value: example } } }) })
    })))
})

/** Answers that the service gave, by operation; `test/http/Answers.test.ts` writes them. */
const readAnswers = (): Answers =>
  // Beside this file in src and, because the build copies it, in dist; the test decodes every one of them.
  JSON.parse(readFileSync(new URL("./answers.json", import.meta.url), "utf8")) as Answers

// HttpApi has just built the document, of which this reads what every document has.
const documented = (document: Record<string, unknown>) =>
  withCodeSamples(withAnswers(readableDocument(document) as unknown as Documented, readAnswers()))

/** The API whose document has examples of answers and samples of code. */
export const DocumentedApi = Api.annotateMerge(OpenApi.annotations({ transform: documented }))

/** The same with the guides beside the operations; generators of clients have no use for those. */
export const GuidedApi = Api.annotateMerge(OpenApi.annotations({
  transform: (document) => withGuides(withNamedExamples(documented(document)))
}))
