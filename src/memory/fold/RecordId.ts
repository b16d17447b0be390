/* Calculates the id of an outcome record. */
import { createHash } from "node:crypto"
import type { RecordKey } from "./FoldState.ts"

/** The UUID namespace of record ids. The namespace was chosen at random, and must never change. */
const namespace = Buffer.from("5f1d8c1e6b0a4d2e9c47a3d1f0b68e52", "hex")

/** Calculates a record's UUIDv5 (RFC 9562) from its account, lane, cluster and model. */
export const recordIdOf = (accountId: string, { cluster, lane, modelId }: RecordKey): string => {
  const name = JSON.stringify([accountId, lane, cluster, modelId])
  const bytes = createHash("sha1").update(namespace).update(name).digest().subarray(0, 16)
  bytes.writeUInt8(bytes.readUInt8(6) & 0x0f | 0x50, 6)
  bytes.writeUInt8(bytes.readUInt8(8) & 0x3f | 0x80, 8)
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
