import type { CallRecord, CostLine, Costs, NetCost } from '../../../index.js';
import * as verbs from '../../operations/index.js';
import { sourcesOf, withEngine } from '../open.js';
import { usageFault } from '../options.js';
import { amount, change, counted, dollars, percent } from '../report/numbers.js';
import { show, storeOf, type Action, type Output, type Scope } from './session-action.js';

/** The costs of all sessions of a store. */
export const projectCosts: Action = async (options, terminal) => {
  if (options.calls)
    throw usageFault('--calls', 'no session', 'with the name of one: spillway costs SESSION --calls');
  const sources = sourcesOf(options, terminal, await storeOf(options, terminal));
  const spent = await withEngine(sources, (spillway) => spillway.projectCosts());
  return show({ value: spent, lines: () => spentLines(spent) }, options, terminal);
};

/** The costs of a session, the net cost of its compactions and, with `--calls`, each call. */
export async function costs({ session, options }: Scope): Promise<Output> {
  const { costs: spent, net: netCosts } = await verbs.costs.run(session, {});
  const { calls, history } = session.operator;
  const undone = new Set(history.filter(({ status }) => status === 'undone').map(({ id }) => id));
  const listed = options.calls ? calls : undefined;
  return {
    value: { ...spent, compactions: netCosts, ...(listed && { calls: listed }) },
    lines: () => [...spentLines(spent), ...netLines(netCosts, undone), ...(listed?.map(callLine) ?? [])],
  };
}

const spentLines = ({ primary, compactor, recalled }: Costs): readonly string[] => [
  spentLine('primary', primary),
  spentLine('compactor', compactor),
  ...(recalled.calls > 0 ? [spentLine('of primary, brought back', recalled)] : []),
];

function spentLine(name: string, { calls, cost, unpriced, ...tokens }: CostLine): string {
  const read = tokens.inputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens;
  const cached = tokens.cacheReadTokens > 0 ? ` (${amount(tokens.cacheReadTokens)} of them cached)` : '';
  const price = calls > 0 && unpriced === calls ? 'price unknown' : dollars(cost, unpriced > 0);
  return `${name}: ${price}, ${counted(calls, 'call')}, ${amount(read)} tokens in${cached}, ${amount(tokens.outputTokens)} out`;
}

function netLines(netCosts: readonly NetCost[], undone: ReadonlySet<string>): readonly string[] {
  const compactions = netCosts
    .filter(({ kind }) => kind === 'compaction')
    .map((one) => netLine(one, undone.has(one.record)));
  const prunes = netCosts.filter(({ kind }) => kind === 'prune');
  if (prunes.length === 0) return compactions.length === 0 ? ['nothing was compacted'] : compactions;
  const sum = (of: (one: NetCost) => number): number => prunes.reduce((total, one) => total + of(one), 0);
  const rewritten = `${amount(sum((one) => one.rewritten))} written anew`;
  return [
    ...compactions,
    `pruned ${counted(prunes.length, 'time')}  for ${rewritten}: net ${change(sum(({ net }) => net))} input tokens`,
  ];
}

function netLine(
  { record, savedPerCall, rewritten, spentTokens, calls, net, netCost }: NetCost,
  isUndone: boolean,
): string {
  const worth = netCost === null ? '' : ` (${netCost < 0 ? '-' : '+'}${dollars(Math.abs(netCost))})`;
  const spent = spentTokens > 0 ? ` and ${amount(spentTokens)} of a summarizer` : '';
  const saved = isUndone
    ? `saved tokens over ${counted(calls, 'call')}, until it was undone,`
    : `saves ${amount(savedPerCall)} tokens a call, over ${counted(calls, 'call')},`;
  return `${record}  ${saved} for ${amount(rewritten)} written anew${spent}: net ${change(net)} input tokens${worth}`;
}

function callLine({ call, messages, tokens, pressure, record, replaced, usage }: CallRecord): string {
  const under = record === undefined ? '' : `, ${record} in force, ${amount(replaced)} with stubs`;
  const reported =
    usage === undefined ? 'nothing reported' : `${amount(usage.inputTokens)} tokens in reported`;
  return `call ${call}  ${counted(messages, 'message')}, ${amount(tokens)} tokens (${percent(pressure)})${under}; ${reported}`;
}
