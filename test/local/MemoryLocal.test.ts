import { layer } from "@effect/vitest"
import { Layer } from "effect"
import * as EmbedderLexical from "../../src/embedder/lexical/EmbedderLexical.ts"
import * as MemoryLocal from "./MemoryLocal.ts"
import { memoryContract } from "../memory/MemoryContract.ts"

layer(MemoryLocal.layer().pipe(Layer.provide(EmbedderLexical.layer)), { excludeTestServices: true })(
  "MemoryLocal",
  memoryContract
)
