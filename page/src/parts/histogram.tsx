import { count, counted, exact } from './format';

const BARS = 12;

/** The distribution of values, as bars of equal width. */
export function Histogram({ values, unit }: { readonly values: readonly number[]; readonly unit: string }) {
  if (values.length === 0) return <p className="soft">none yet</p>;
  const ordered = values.toSorted((a, b) => a - b);
  const most = ordered.at(-1)!;
  const width = Math.max(1, Math.ceil((most + 1) / BARS));
  const bars = Array.from({ length: BARS }, (_, place) => {
    const from = place * width;
    return {
      from,
      to: from + width - 1,
      of: ordered.filter((value) => value >= from && value < from + width).length,
    };
  });
  const highest = Math.max(...bars.map(({ of }) => of));
  const median = ordered[Math.floor(ordered.length / 2)]!;
  const words = `${counted(values.length, 'value')}; shortest ${exact(ordered[0]!)}, median ${exact(median)}, longest ${exact(most)} ${unit}.`;
  return (
    <>
      <div className="histogram" role="img" aria-label={words}>
        {bars.map(({ from, to, of }) => (
          <i
            key={from}
            style={{ height: of === 0 ? 1 : `${(of / highest) * 100}%` }}
            title={`${exact(from)} to ${exact(to)} ${unit}: ${of}`}
          />
        ))}
      </div>
      <p className="soft num" title={words}>
        {count(ordered[0]!)} to {count(most)} {unit}, median {count(median)}
      </p>
    </>
  );
}
