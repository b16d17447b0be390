import { layer } from "@effect/vitest"
import { Layer } from "effect"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import * as MemoryDelivered from "../../../src/memory/delivery/MemoryDelivered.ts"
import * as MemoryLocal from "../../local/MemoryLocal.ts"
import { embedded, slow } from "../../support/Databases.ts"
import { memoryOver, withWrites } from "../../support/fakes.ts"
import { memoryContract } from "../MemoryContract.ts"

const elsewhere = memoryOver(
  MemoryLocal.layer().pipe(Layer.provide(EmbedderLexical.layer)),
  (real) => withWrites(real, (_write, writing) => writing)
)

// On one engine: what is sent at once leaves no row, and what the delivery does with rows is in `Delivery.test.ts`.
layer(MemoryDelivered.layer().pipe(Layer.provide([elsewhere, embedded])), slow)("Memory that is delivered to", memoryContract)
