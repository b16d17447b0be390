/* The adapter of the AI SDK. */
export type { RoutedCallOptions } from "./Question.ts"
export { type Routed, routed, type RoutedMetadata, type RoutedOptions, sextantOf } from "./Routed.ts"
export type { LanguageModelLike } from "./Shapes.ts"
