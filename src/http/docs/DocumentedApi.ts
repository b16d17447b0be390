/* The API's document with examples and samples of code, which clients do not load. */
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

interface Documented {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
}

const mapped = <A, B>(values: Readonly<Record<string, A>>, change: (value: A, name: string) => B) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]))

const withOperations = (
  document: Documented,
  change: (operation: DocumentedOperation, method: string, path: string) => DocumentedOperation
) => ({
  ...document,
  paths: mapped(document.paths, (operations, path) =>
    mapped(operations, (operation, method) => change(operation, method, path)))
})

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

const withAnswer = (operation: DocumentedOperation, example: unknown): DocumentedOperation =>
  withMedia(operation, (media, status) =>
    status === "200" && example !== undefined ? { ...media, example } : media)

/** Gives names to the examples of answers, because Scalar ignores a single `example`. */
const withNamedExamples = (operation: DocumentedOperation): DocumentedOperation =>
  withMedia(operation, ({ example, ...media }) =>
    example === undefined ? media : { ...media, examples: { answer: { value: example } } })

/** `test/http/Answers.test.ts` writes these answers. */
const readAnswers = (): Answers =>
  // The cast to `Answers` is safe, because `Answers.test.ts` decodes every answer of the file.
  JSON.parse(readFileSync(new URL("../answers.json", import.meta.url), "utf8")) as Answers

const documented = (document: Record<string, unknown>) => {
  const answers = readAnswers()
  return withOperations(readableDocument(document) as unknown as Documented, (operation, method, path) => ({
    ...withAnswer(operation, answers[operation.operationId]),
    "x-codeSamples": samplesOf(operation, method, path)
  }))
}

export const DocumentedApi = Api.annotateMerge(OpenApi.annotations({ transform: documented }))

export const ReferenceApi = Api.annotateMerge(OpenApi.annotations({
  transform: (document) => withOperations(documented(document), withNamedExamples)
}))
