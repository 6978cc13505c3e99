/** Tokens that are bytes and no text, by encoding; the build puts them here (scripts/build/vocabulary.mjs). */
export const ODD_TOKENS: Readonly<
  Record<string, readonly (readonly [rank: number, entry: string | readonly number[]])[]>
> = {};
