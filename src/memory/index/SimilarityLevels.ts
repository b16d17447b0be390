/* How similar a lane is to a query: the numbers from which a lane learns its scale. */
import type { Recalled } from "../Memory.ts"
import { highSimilarityRank } from "../MemorySettings.ts"
import { TopK } from "./TopK.ts"
import type { QuerySimilarities } from "./VectorRows.ts"

/** Mean similarity of the rows with a vector, and the fifth highest; 0 without such a row. */
export const levelsOf = (
  { rowCounts, similarities, slotCount }: QuerySimilarities
): Pick<Recalled, "highSimilarity" | "meanSimilarity"> => {
  const highest = new TopK(1, highSimilarityRank)
  let floor = -Infinity
  let sum = 0
  let count = 0
  for (let slot = 0; slot < slotCount; slot++) {
    const similarity = similarities[slot]!
    const rowCount = rowCounts[slot]!
    sum += rowCount * similarity
    count += rowCount
    if (!(similarity > floor)) continue
    const shown = Math.min(rowCount, highSimilarityRank)
    for (let i = 0; i < shown; i++) floor = highest.offer(0, slot, similarity)
  }
  return { meanSimilarity: count === 0 ? 0 : sum / count, highSimilarity: highest.least(0) }
}
