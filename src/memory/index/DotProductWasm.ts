/**
 * Multiplies vectors in WebAssembly: the 32-bit integer dot products of an int16 query with int8 rows.
 * WebAssembly is more than ten times as fast here as plain JavaScript. This file writes the WebAssembly
 * bytes itself, because a kilobyte of code needs no build tools.
 * @see https://webassembly.github.io/spec/core/binary/ (the binary format of WebAssembly)
 */
type Bytes = ReadonlyArray<number>

/** Encodes a number that is not negative in LEB128. */
const unsigned = (value: number): Bytes =>
  value < 128 ? [value] : [value & 0x7f | 0x80, ...unsigned(value >>> 7)]
/** Encodes a number in signed LEB128. */
const signed = (value: number): Bytes =>
  value >= -64 && value < 64 ? [value & 0x7f] : [value & 0x7f | 0x80, ...signed(value >> 7)]

const i32 = 0x7f
const v128 = 0x7b
const localGet = (index: number): Bytes => [0x20, index]
const localSet = (index: number): Bytes => [0x21, index]
const localTee = (index: number): Bytes => [0x22, index]
const i32Const = (value: number): Bytes => [0x41, ...signed(value)]
const i32Add: Bytes = [0x6a]
const i32Sub: Bytes = [0x6b]
const i32LessUnsigned: Bytes = [0x49]
const i32Store: Bytes = [0x36, 2, 0]
const simd = (opcode: number): Bytes => [0xfd, ...unsigned(opcode)]
const load128 = (offset: number): Bytes => [...simd(0x00), 0, ...unsigned(offset)]
const load8x8Signed = (offset: number): Bytes => [...simd(0x01), 0, ...unsigned(offset)]
const zero128: Bytes = [...simd(0x0c), ...new Array<number>(16).fill(0)]
const extractLane = (lane: number): Bytes => [...simd(0x1b), lane]
const dotI16x8 = simd(0xba)
const addI32x4 = simd(0xae)
const loop: Bytes = [0x03, 0x40]
const branchIf = (depth: number): Bytes => [0x0d, depth]
const end: Bytes = [0x0b]

const increase = (local: number, by: number): Bytes =>
  [...localGet(local), ...i32Const(by), ...i32Add, ...localSet(local)]

/** Maximum number of dimensions in one block, which keeps its machine code small. */
const blockMax = 256
/** Number of dimensions that one instruction multiplies. */
const step = 8

/** Returns the longest block that divides a row evenly. `dimensions` is a multiple of 8. */
const blockOf = (dimensions: number): number => {
  let block = Math.min(blockMax, dimensions)
  while (dimensions % block !== 0) block -= step
  return block
}

// Parameters are numbered first, then local variables. Four sums let additions overlap.
const [query, rows, rowCount, out, queryAt, rowEnd] = [0, 1, 2, 3, 4, 5]
const sums = [6, 7, 8, 9]

const multiplied = (index: number): Bytes => {
  const sum = sums[index % sums.length]!
  return [
    ...localGet(sum),
    ...localGet(queryAt), ...load128(index * step * 2),
    ...localGet(rows), ...load8x8Signed(index * step),
    ...dotI16x8, ...addI32x4, ...localSet(sum)
  ]
}

const bodyOf = (dimensions: number): Bytes => {
  const block = blockOf(dimensions)
  const [sum = 0, ...others] = sums
  return [
    2, 2, i32, sums.length, v128,
    ...loop,
    ...sums.flatMap((each) => [...zero128, ...localSet(each)]),
    ...localGet(query), ...localSet(queryAt),
    ...localGet(rows), ...i32Const(dimensions), ...i32Add, ...localSet(rowEnd),
    ...loop,
    ...Array.from({ length: block / step }, (_, index) => multiplied(index)).flat(),
    ...increase(queryAt, block * 2),
    ...increase(rows, block),
    ...localGet(rows), ...localGet(rowEnd), ...i32LessUnsigned, ...branchIf(0),
    ...end,
    ...localGet(sum), ...others.flatMap((each) => [...localGet(each), ...addI32x4]), ...localSet(sum),
    ...localGet(out),
    ...localGet(sum), ...extractLane(0), ...localGet(sum), ...extractLane(1), ...i32Add,
    ...localGet(sum), ...extractLane(2), ...i32Add, ...localGet(sum), ...extractLane(3), ...i32Add,
    ...i32Store,
    ...increase(out, 4),
    ...localGet(rowCount), ...i32Const(1), ...i32Sub, ...localTee(rowCount), ...branchIf(0),
    ...end,
    ...end
  ]
}

const section = (id: number, bytes: Bytes): Bytes => [id, ...unsigned(bytes.length), ...bytes]
const name = (text: string): Bytes => [text.length, ...Buffer.from(text, "latin1")]

const compile = (dimensions: number): WebAssembly.Module => {
  const body = bodyOf(dimensions)
  return new WebAssembly.Module(new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [1, 0x60, 4, i32, i32, i32, i32, 0]),
    ...section(2, [1, ...name("m"), ...name("m"), 0x02, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name("dots"), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body])
  ]))
}

/** Modules by number of dimensions. */
const compiled = new Map<number, WebAssembly.Module>()

type Dots = (query: number, rows: number, rowCount: number, out: number) => void

/**
 * `dimensions` is a positive multiple of 8. The returned function takes byte offsets and a `rowCount` > 0.
 */
export const dotsOver = (memory: WebAssembly.Memory, dimensions: number): Dots => {
  const module = compiled.get(dimensions) ?? compile(dimensions)
  compiled.set(dimensions, module)
  const { dots } = new WebAssembly.Instance(module, { m: { m: memory } }).exports
  // Exports have no types, so the type is asserted: the module above exports exactly this function.
  return dots as Dots
}
