import { layer } from "@effect/vitest"
import * as AccountModelsLocal from "./AccountModelsLocal.ts"
import { accountModelsContract } from "../accounts/AccountModelsContract.ts"

layer(AccountModelsLocal.layer)("AccountModelsLocal", (it) => accountModelsContract(it))
