/** Characters that must come out of nothing that we compose: controls, bidirectional, invisible, tags. */
const ranges: ReadonlyArray<readonly [from: number, to: number]> = [
  [0x00, 0x08], [0x0b, 0x1f], [0x7f, 0x9f], [0x61c, 0x61c], [0x200b, 0x200b], [0x200e, 0x200f],
  [0x2028, 0x202e], [0x2060, 0x206f], [0xfeff, 0xfeff], [0xe0001, 0xe0001], [0xe0020, 0xe007f], [0xe0100, 0xe01ef]
]

export const hiddenCharacters: ReadonlyArray<string> = ranges.flatMap(([from, to]) =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)))
