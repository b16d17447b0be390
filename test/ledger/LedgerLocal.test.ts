import { layer } from "@effect/vitest"
import * as LedgerLocal from "../../src/ledger/LedgerLocal.ts"
import { ledgerContract } from "./LedgerContract.ts"

layer(LedgerLocal.layer)("the in-process ledger", ledgerContract)
