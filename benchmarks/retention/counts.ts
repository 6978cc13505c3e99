/** Judged probes of one session, for one policy. */
export interface Counts {
  readonly probes: number;
  readonly hits: number;
}

export const shareOf = (counts: readonly Counts[]): number => {
  const probes = counts.reduce((sum, count) => sum + count.probes, 0);
  return probes === 0 ? NaN : counts.reduce((sum, count) => sum + count.hits, 0) / probes;
};
