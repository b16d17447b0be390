/* `sextant account models`: the models, prices and default candidates that an account declares. */
import { Console, Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { readFile } from "node:fs/promises"
import { AccountModelsStore } from "../../accounts/AccountModels.ts"
import { modelsAnswerOf, writtenAnswerOf } from "../../accounts/ModelsAnswer.ts"
import { detailOf } from "../../api/Detail.ts"
import { problemsOf } from "../../catalog/AccountCatalog.ts"
import {
  AccountModels, AccountModelsResponse, isEmpty, noAccountModels
} from "../../domain/account/AccountModels.ts"
import { AccountId } from "../../domain/Scope.ts"
import { messageOf } from "../../domain/text/ErrorMessage.ts"
import { nameOf } from "../../domain/text/Text.ts"
import { counted } from "../../domain/text/Words.ts"
import { snakeCase } from "../../domain/wire/Wire.ts"
import { unknownFieldsOf } from "../../http/body/UnknownFields.ts"
import * as CatalogLayers from "../CatalogLayers.ts"
import * as Layers from "../Layers.ts"
import { refusal } from "../Refusal.ts"
import { instance, serviceConfig } from "./Flags.ts"

const decode = Schema.decodeUnknownEffect(AccountModels, { errors: "all" })
const unknownFields = unknownFieldsOf(AccountModelsResponse)
const encodeResponse = Schema.encodeSync(AccountModelsResponse)

const show = Command.make("show", { instance }, ({ instance }) =>
  Effect.gen(function*() {
    const config = yield* serviceConfig
    const shared = yield* CatalogLayers.storedSnapshot(config)
    const stored = yield* AccountModelsStore.use((store) => store.read(AccountId.make(instance))).pipe(
      Effect.provide(Layers.accountModels(config))
    )
    yield* Console.log(JSON.stringify(encodeResponse(modelsAnswerOf(shared, stored)), null, 2))
  })).pipe(Command.withDescription("Print what the account has set, and the prices and priors that it gets"))

/** Replaces the account's document, and prints the models whose learning starts anew. */
const write = (instance: string, document: AccountModels) =>
  Effect.gen(function*() {
    const config = yield* serviceConfig
    const shared = yield* CatalogLayers.storedSnapshot(config)
    const written = yield* AccountModelsStore.use((store) =>
      store.write(AccountId.make(instance), document, shared)
    ).pipe(Effect.provide(Layers.accountModels(config)))
    const { defaultCandidates, models } = document
    const candidates = counted(defaultCandidates?.length ?? 0, "default candidate")
    const state = isEmpty(document)
      ? "no models or default candidates of its own"
      : `${counted(models.length, "declared model")} and ${candidates}`
    yield* Console.log(`${instance} has ${state}. Running services apply it within 1 s.`)
    for (const { changed, modelId } of writtenAnswerOf(shared, written).restarts) {
      yield* Console.log(`${nameOf(modelId)} begins anew, by another ${changed.join(" and ")}: its earlier `
        + "outcomes count for a fifth at most, and for no cost and no guarantee.")
    }
  })

const set = Command.make(
  "set",
  {
    instance,
    file: Argument.File("FILE").pipe(
      Argument.withDescription("The document of PUT /v1/account/models, as JSON")
    )
  },
  ({ file, instance }) =>
    Effect.gen(function*() {
      const unusable = (...problems: ReadonlyArray<string>) =>
        refusal([`${file} cannot be used, and nothing was set:`, ...problems].join("\n  "))
      const body: unknown = yield* Effect.tryPromise({
        try: async (): Promise<unknown> => JSON.parse(await readFile(file, "utf8")),
        catch: (cause) => unusable(messageOf(cause))
      })
      const document = yield* Effect.mapError(decode(body), ({ issue }) =>
        unusable(detailOf(issue, snakeCase)))
      const problems = problemsOf(yield* CatalogLayers.storedSnapshot(yield* serviceConfig), document)
      const { ignored, refused } = unknownFields(body)
      const wrong = [...problems, ...refused]
      if (wrong.length > 0) return yield* unusable(...wrong)
      yield* write(instance, document)
      for (const field of ignored) {
        yield* Console.error(`Warning: no document has the field ${field}, which is ignored.`)
      }
    })
).pipe(Command.withDescription("Replace what the account has set by a JSON file"))

const clear = Command.make("clear", { instance }, ({ instance }) => write(instance, noAccountModels)).pipe(
  Command.withDescription("Remove what the account has set: the catalog, and all of it, for every request")
)

export const accountModels = Command.make("models").pipe(
  Command.withDescription("Default candidates, prices and models that an account has of its own"),
  Command.withSubcommands([show, set, clear])
)
