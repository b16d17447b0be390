import { describe, layer } from "@effect/vitest"
import { Layer } from "effect"
import * as LanesLocal from "../../src/ledger/LanesLocal.ts"
import * as LanesSql from "../../src/ledger/LanesSql.ts"
import * as LedgerLocal from "../../src/ledger/LedgerLocal.ts"
import * as LedgerSql from "../../src/ledger/LedgerSql.ts"
import { onEachEngine, slow } from "../support/Databases.ts"
import { lanesContract } from "./LanesContract.ts"

layer(Layer.merge(LanesLocal.layer, LedgerLocal.layer))("the in-process lane numbers", lanesContract)

describe("the lane numbers in SQL", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(Layer.merge(LanesSql.layer, LedgerSql.layer), engine), slow)(name, lanesContract)
  ))
