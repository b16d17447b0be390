import { layer } from "@effect/vitest"
import * as LedgerLocal from "./LedgerLocal.ts"
import { ledgerContract } from "../ledger/LedgerContract.ts"

layer(LedgerLocal.layer)("the in-process ledger", ledgerContract)
