/* The API as the server documents it: with examples and samples of code, which clients do not load. */
import { OpenApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import { Api } from "../../api/Api.ts"
import { readableDocument } from "../../api/Document.ts"
import { type SampledOperation, samplesOf } from "./CodeSamples.ts"

type Answers = Readonly<Record<string, unknown>>

interface Media {
  readonly example?: unknown
}

interface DocumentedOperation extends SampledOperation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

/** The parts of a document that examples and samples are put into. */
interface Documented {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
}

const mapped = <A, B>(values: Readonly<Record<string, A>>, change: (value: A, name: string) => B) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]))

/** The document with each of its operations changed. */
const withOperations = (
  document: Documented,
  change: (operation: DocumentedOperation, method: string, path: string) => DocumentedOperation
) => ({
  ...document,
  paths: mapped(document.paths, (operations, path) =>
    mapped(operations, (operation, method) => change(operation, method, path)))
})

/** The operation with the contents of its answers changed; some answers have none. */
const withMedia = (
  operation: DocumentedOperation,
  change: (media: Media, status: string) => Media
): DocumentedOperation => ({
  ...operation,
  responses: mapped(operation.responses, (response, status) =>
    response.content === undefined
      ? response
      : { ...response, content: mapped(response.content, (media) => change(media, status)) })
})

/** The operation with this answer as the example of its 200. */
const withAnswer = (operation: DocumentedOperation, example: unknown): DocumentedOperation =>
  withMedia(operation, (media, status) =>
    status === "200" && example !== undefined ? { ...media, example } : media)

/** The operation with the examples of answers by name: Scalar ignores a lone `example` of an answer. */
const withNamedExamples = (operation: DocumentedOperation): DocumentedOperation =>
  withMedia(operation, ({ example, ...media }) =>
    example === undefined ? media : { ...media, examples: { answer: { value: example } } })

/** Answers that the service gave, by operation; `test/http/Answers.test.ts` writes them. */
const readAnswers = (): Answers =>
  // In src/http and, because the build copies it, in dist/src/http; the test decodes every one of them.
  JSON.parse(readFileSync(new URL("../answers.json", import.meta.url), "utf8")) as Answers

const documented = (document: Record<string, unknown>) => {
  const answers = readAnswers()
  // HttpApi has just built the document, of which this reads what every document has.
  return withOperations(readableDocument(document) as unknown as Documented, (operation, method, path) => ({
    ...withAnswer(operation, answers[operation.operationId]),
    "x-codeSamples": samplesOf(operation, method, path)
  }))
}

/** The API whose document has examples of answers and samples of code. */
export const DocumentedApi = Api.annotateMerge(OpenApi.annotations({ transform: documented }))

/** The same as the page of the reference reads it. */
export const ReferenceApi = Api.annotateMerge(OpenApi.annotations({
  transform: (document) => withOperations(documented(document), withNamedExamples)
}))
