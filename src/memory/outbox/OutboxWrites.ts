/* Writes to memory as the outbox keeps them, and back. */
import type { AccountId, LaneId } from "../../domain/Scope.ts"
import type { MemoryWrite } from "../MemoryWrite.ts"
import type { OutboxWrite } from "./OutboxRows.ts"

const withoutAccount = <A extends LaneId>({ accountId: _, ...rest }: A): Omit<A, "accountId"> => rest

const unrevised = { revision: 0, verdictRevision: 0, isCostOutlier: false }

/** The write as its account's row holds it; what a write may leave out is spelled out. */
export const keptOf = (write: MemoryWrite): OutboxWrite => {
  switch (write.kind) {
    case "teach":
      return {
        kind: "teach",
        body: { ...unrevised, ...withoutAccount(write.observation), teaches: write.teaches }
      }
    case "reinforce": {
      const { reinforcementId = null, revision = 0, ...body } = withoutAccount(write.reinforcement)
      return { kind: "reinforce", body: { ...body, reinforcementId, revision } }
    }
    case "recordSteps":
      return { kind: "recordSteps", body: withoutAccount(write.rewards) }
    case "promote": {
      const { errorText = null, revision = 0, userId = null, ...body } = withoutAccount(write.lesson)
      return { kind: "promote", body: { ...body, errorText, revision, userId } }
    }
  }
}

/** A kept write of the account. */
export const writeOf = ({ body, kind }: OutboxWrite, accountId: AccountId): MemoryWrite => {
  switch (kind) {
    case "teach": {
      const { teaches, ...observation } = body
      return { kind, observation: { ...observation, accountId }, teaches }
    }
    case "reinforce": {
      const { reinforcementId, ...reinforcement } = body
      const id = reinforcementId === null ? {} : { reinforcementId }
      return { kind, reinforcement: { ...reinforcement, ...id, accountId } }
    }
    case "recordSteps":
      return { kind, rewards: { ...body, accountId } }
    case "promote":
      return { kind, lesson: { ...body, accountId } }
  }
}
