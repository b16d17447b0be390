import { layer } from "@effect/vitest"
import { voteSecretsContract } from "../accounts/VoteSecretsContract.ts"
import * as VoteSecretsLocal from "./VoteSecretsLocal.ts"

layer(VoteSecretsLocal.layer)("the in-process secrets of votes", voteSecretsContract)
