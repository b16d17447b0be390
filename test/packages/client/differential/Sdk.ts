// A provider's SDK, direct and routed.
import { beforeAll } from "@effect/vitest"
import { declareTable, type Loose, settings, type Table } from "../support/Differential.ts"
import { onNewestVersion } from "../support/Peers.ts"
import type { RealService } from "../support/RealService.ts"
import { keeping, type Stage } from "../support/Stage.ts"

/** A client, and the name of the model that it asks for. */
export interface Client {
  readonly client: Loose
  readonly model: string
}

/** An answer as the SDK passes it on, and its bytes. */
export const bytesOf = async (work: Loose): Promise<ReadonlyArray<unknown>> => {
  const response: Response = await work.asResponse()
  const copy = response.clone()
  return [response, copy, await Promise.all([response.text(), copy.text()])]
}

/** An SDK: what its package makes a client of at a provider's URL, and the adapter that routes it. */
interface Sdk {
  readonly adapter: string
  readonly name: string
  readonly make: (module: Loose, options: object, url: string) => Loose
  readonly wrap: (client: Loose, options: typeof settings & RealService & { readonly models: ReadonlyArray<"dear"> }) => Loose
}

export const declareSdk = (stage: Stage, { adapter, make, name, wrap }: Sdk, features: Table<Client>): void =>
  onNewestVersion(adapter, ({ load }) => {
    const keep = keeping()
    let module: Loose
    beforeAll(async () => {
      module = await load<Loose>(name)
    })
    const options = { apiKey: "any", maxRetries: 1, defaultHeaders: { "x-of-program": "0" } }
    const made = (): Loose => make(module, options, stage.provider.url)
    const wrapped = (): Loose => keep(wrap(made(), { ...stage.service, ...settings, models: ["dear"] }))
    declareTable(stage, { features }, {
      direct: () => ({ client: made(), model: "dear" }), routed: () => ({ client: wrapped(), model: "sextant/auto" })
    })
  })
