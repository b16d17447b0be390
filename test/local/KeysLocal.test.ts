import { layer } from "@effect/vitest"
import * as KeysLocal from "./KeysLocal.ts"
import { keysContract } from "../accounts/KeysContract.ts"

layer(KeysLocal.layer([]), { excludeTestServices: true })("keys in the process", keysContract)
