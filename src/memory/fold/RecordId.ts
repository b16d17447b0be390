/* The id of an outcome record, computed from its lane, cluster and model. */
import { createHash } from "node:crypto"
import type { RecordKey } from "./FoldState.ts"

/** The namespace of records' ids. Chosen at random; never to be changed. */
const namespace = Buffer.from("5f1d8c1e6b0a4d2e9c47a3d1f0b68e52", "hex")

/** The UUIDv5 (RFC 9562) of the record of a cluster and model of a lane. */
export const recordIdOf = (accountId: string, { cluster, lane, modelId }: RecordKey): string => {
  const name = JSON.stringify([accountId, lane, cluster, modelId])
  const bytes = createHash("sha1").update(namespace).update(name).digest().subarray(0, 16)
  bytes.writeUInt8(bytes.readUInt8(6) & 0x0f | 0x50, 6)
  bytes.writeUInt8(bytes.readUInt8(8) & 0x3f | 0x80, 8)
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
