/** Tokens that are bytes and no valid text, by encoding; filled by the build (scripts/build/vocabulary.mjs). */
export const ODD_TOKENS: Readonly<
  Record<string, readonly (readonly [rank: number, entry: string | readonly number[]])[]>
> = {};
