/* Converts OTLP's requests from protobuf into OTLP's JSON. The tables list, by number, the fields of
   `opentelemetry-proto` 1.x that are needed for calls. Fields that are not listed are skipped. */
import type { Row } from "./formats/Values.ts"

/** Types of values. OTLP's JSON writes ids (type `hex`) as hexadecimal text, and 64-bit integers as text. */
type Scalar = "bool" | "double" | "enum" | "fixed64" | "hex" | "int64" | "string"

interface Field {
  readonly name: string
  readonly of: Scalar | (() => Message)
  readonly isList: boolean
}
type Message = Readonly<Record<number, Field>>

const one = (name: string, of: Field["of"]): Field => ({ name, of, isList: false })
const many = (name: string, of: Field["of"]): Field => ({ name, of, isList: true })

const arrayValue: Message = { 1: many("values", () => anyValue) }
const keyValue: Message = { 1: one("key", "string"), 2: one("value", () => anyValue) }
const keyValueList: Message = { 1: many("values", () => keyValue) }
const anyValue: Message = {
  1: one("stringValue", "string"), 2: one("boolValue", "bool"), 3: one("intValue", "int64"),
  4: one("doubleValue", "double"), 5: one("arrayValue", () => arrayValue),
  6: one("kvlistValue", () => keyValueList)
}
const resource: Message = { 1: many("attributes", () => keyValue) }
const event: Message = {
  1: one("timeUnixNano", "fixed64"), 2: one("name", "string"), 3: many("attributes", () => keyValue)
}
const status: Message = { 2: one("message", "string"), 3: one("code", "enum") }
const span: Message = {
  1: one("traceId", "hex"), 2: one("spanId", "hex"), 4: one("parentSpanId", "hex"), 5: one("name", "string"),
  7: one("startTimeUnixNano", "fixed64"), 8: one("endTimeUnixNano", "fixed64"),
  9: many("attributes", () => keyValue), 11: many("events", () => event), 15: one("status", () => status)
}
const logRecord: Message = {
  1: one("timeUnixNano", "fixed64"), 5: one("body", () => anyValue), 6: many("attributes", () => keyValue),
  9: one("traceId", "hex"), 10: one("spanId", "hex"), 11: one("observedTimeUnixNano", "fixed64"),
  12: one("eventName", "string")
}
const scopeSpans: Message = { 2: many("spans", () => span) }
const scopeLogs: Message = { 2: many("logRecords", () => logRecord) }
const resourceSpans: Message = { 1: one("resource", () => resource), 2: many("scopeSpans", () => scopeSpans) }
const resourceLogs: Message = { 1: one("resource", () => resource), 2: many("scopeLogs", () => scopeLogs) }

export type OtlpSignal = "traces" | "logs"

const requests: Readonly<Record<OtlpSignal, Message>> = {
  traces: { 1: many("resourceSpans", () => resourceSpans) },
  logs: { 1: many("resourceLogs", () => resourceLogs) }
}

/** Maximum depth of nested messages in a request, and maximum number of fields in all its messages. */
interface ProtobufLimits {
  readonly depth: number
  readonly values: number
}

/** The error for a request that is no valid protobuf, or that exceeds one of the {@link ProtobufLimits}. */
class Unreadable extends Error {}

/** Messages have the wire type for values with a length. */
const wireTypes: Readonly<Record<Scalar, number>> = {
  bool: 0, enum: 0, int64: 0, double: 1, fixed64: 1, hex: 2, string: 2
}
const lengthDelimited = 2

const texts = new TextDecoder()

const makeReader = (bytes: Uint8Array, limits: ProtobufLimits) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let [at, values] = [0, 0]

  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) break
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new Unreadable()
  }
  const passed = (count: number, end: number): number => {
    const from = at
    if (from + count > end) throw new Unreadable()
    at = from + count
    return from
  }
  const part = (end: number): Uint8Array => {
    const from = passed(Number(varint()), end)
    return bytes.subarray(from, at)
  }
  const scalars: Readonly<Record<Scalar, (end: number) => unknown>> = {
    bool: () => varint() !== 0n,
    enum: () => Number(varint()),
    int64: () => String(BigInt.asIntN(64, varint())),
    double: (end) => view.getFloat64(passed(8, end), true),
    fixed64: (end) => String(view.getBigUint64(passed(8, end), true)),
    hex: (end) => Buffer.from(part(end)).toString("hex"),
    string: (end) => texts.decode(part(end))
  }
  const skip: Readonly<Record<number, (end: number) => unknown>> = {
    0: varint, 1: (end) => passed(8, end), 2: part, 5: (end) => passed(4, end)
  }
  const valueOf = ({ of }: Field, wireType: number, end: number, depth: number): unknown => {
    if (wireType !== (typeof of === "string" ? wireTypes[of] : lengthDelimited)) throw new Unreadable()
    if (typeof of === "string") return scalars[of](end)
    const length = Number(varint())
    if (at + length > end) throw new Unreadable()
    return message(of(), at + length, depth + 1)
  }
  const message = (fields: Message, end: number, depth: number): Row => {
    if (depth > limits.depth) throw new Unreadable()
    const row: Record<string, unknown> = {}
    while (at < end) {
      if (++values > limits.values) throw new Unreadable()
      const tag = Number(varint())
      const wireType = tag % 8
      const field = fields[Math.floor(tag / 8)]
      if (field === undefined) {
        const pass = skip[wireType]
        if (pass === undefined) throw new Unreadable()
        pass(end)
        continue
      }
      const value = valueOf(field, wireType, end, depth)
      if (!field.isList) row[field.name] = value
      else {
        const list = row[field.name]
        if (Array.isArray(list)) list.push(value)
        else row[field.name] = [value]
      }
    }
    if (at !== end) throw new Unreadable()
    return row
  }
  return message
}

/** Returns the request in OTLP's JSON form; null if it is no valid protobuf or exceeds `limits`. */
export const readOtlpProtobuf = (
  bytes: Uint8Array,
  signal: OtlpSignal,
  limits: ProtobufLimits
): Row | null => {
  try {
    return makeReader(bytes, limits)(requests[signal], bytes.length, 1)
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
}
