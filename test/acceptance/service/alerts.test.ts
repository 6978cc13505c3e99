import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { definePlugin, packageFolder } from '../../../src/index.js';
import { says, talk, user } from '../support.js';
import { proxied } from './proxied.js';

const read = (name: string): string => readFileSync(join(packageFolder(), 'docs', 'operating', name), 'utf8');

/** Every PromQL expression of a tree of settings. */
function expressionsIn(tree: unknown): string[] {
  if (Array.isArray(tree)) return tree.flatMap(expressionsIn);
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([name, value]) =>
    name === 'expr' && typeof value === 'string' ? [value] : expressionsIn(value),
  );
}

interface Asked {
  readonly faults: number;
  readonly metrics: readonly string[];
  /** Names in matchers and in `by`. */
  readonly labels: readonly string[];
}

function askedBy(expression: string): Asked {
  let faults = 0;
  const metrics: string[] = [];
  const labels: string[] = [];
  parser.parse(expression).iterate({
    enter({ type, name, from, to }) {
      if (type.isError) faults++;
      const text = expression.slice(from, to);
      // A plain name is the metric of a selector, or a label in a list of labels.
      if (name === 'VectorSelector') metrics.push(/^[\w:]+/.exec(text)![0]);
      if (name === 'LabelName') labels.push(text);
    },
  });
  return { faults, metrics, labels };
}

const alerts = parse(read('alerts.yaml')) as { groups: { rules: { alert: string; expr: string }[] }[] };
const dashboard = JSON.parse(read('grafana.json')) as object;
const expressions = [...new Set([...expressionsIn(alerts), ...expressionsIn(dashboard)])];

/** Samples by name, with the names of their labels; `types` by family. */
const samples = new Map<string, Set<string>>();
const types = new Map<string, string>();

beforeAll(async () => {
  const { service, emulator } = await proxied(
    { window: 3_000, thresholds: { circuitBreakerFailures: 1 } },
    {
      summarizer: {
        name: 'away',
        endpoint: 'away',
        summarize: () => Promise.reject(new Error('away')),
      },
      plugins: [definePlugin({ name: 'looks', observer: { preCompact: () => undefined } })],
    },
  );
  const send = async (messages: readonly object[], named = {}): Promise<unknown> =>
    (await service.send('/v1/chat/completions', { model: 'm', messages }, named)).text();
  await send([user('Build the mill.'), ...talk(14, 300), says('So.'), user('Go on.')]);
  emulator.script = ['context-length'];
  await send([user('Build a weir.')]);
  // A request that no compaction can make fit is sent on as it came.
  await send([user('weir '.repeat(20_000))]);
  await service.post('/sessions', { id: 'own' });
  await service.post('/sessions/own/prepare', {
    request: { messages: [user('Build the mill.'), ...talk(14, 300), user('Go on.')] },
  });
  await service.post('/sessions/own/recall', { query: 'mill' });
  const text = await service.metrics();
  for (const line of text.split('\n')) {
    const [, family, type] = /^# TYPE (\S+) (\S+)/.exec(line) ?? [];
    if (family !== undefined) types.set(family, type!);
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === undefined) continue;
    const known = samples.get(name) ?? new Set<string>();
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!);
    samples.set(name, known);
  }
});

describe('alerts and dashboard', () => {
  it.each(expressions)('N16: %s is PromQL', (expression) => {
    const { faults, metrics } = askedBy(expression);
    expect(faults).toBe(0);
    expect(metrics.length).toBeGreaterThan(0);
  });

  it.each(expressions)('N16: %s uses only metrics and labels that the service reports', (expression) => {
    const { metrics, labels } = askedBy(expression);
    for (const metric of metrics) {
      const family = metric.replace(/_(?:bucket|sum|count)$/, '');
      expect([metric, types.has(metric) || types.get(family) === 'histogram']).toEqual([metric, true]);
      // Without labels there is a sample from the start.
      if (labels.length > 0) {
        const known = samples.get(metric) ?? new Set();
        expect([metric, labels.filter((label) => !known.has(label))]).toEqual([metric, []]);
      }
    }
  });

  it('N16: each alert names only labels that it has, and the guide describes it', () => {
    const rules = alerts.groups.flatMap(({ rules: all }) => all) as {
      alert: string;
      expr: string;
      annotations: { summary: string };
    }[];
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    const guide = read('metrics.md');
    for (const { alert, expr, annotations } of rules) {
      const named = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!);
      expect(askedBy(expr).labels).toEqual(expect.arrayContaining(named));
      expect([alert, guide.includes(alert)]).toEqual([alert, true]);
    }
  });

  it('N16: the checks find an expression that is not PromQL, and a metric that does not exist', () => {
    expect(askedBy('sum by (code (rate(x[5m]))').faults).toBeGreaterThan(0);
    expect(askedBy('sum by (code) (rate(spillway_no_such_total{who="x"}[5m]))')).toMatchObject({
      metrics: ['spillway_no_such_total'],
      labels: ['code', 'who'],
    });
  });
});
