/* The adapter of the AI SDK. */
export type { RoutedCallOptions } from "./Question.ts"
export { type Routed, routed, type RoutedOptions, sextantOf } from "./RoutedModel.ts"
export type { RoutedMetadata } from "./Running.ts"
export type { LanguageModelLike } from "./Shapes.ts"
