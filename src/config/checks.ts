import { nearest, type Finding } from './faults.js';
import { valueAt, type Path } from './path.js';

/** Gates along the roster may be equal, and 0.85 − 0.80 is 0.04999…; a difference below this is rounding. */
const ROUNDING = 1e-9;

interface Gate {
  readonly stage: string;
  readonly opensAt: number;
  readonly path: Path;
}

/** Checks a settings tree of any content. Fields of a wrong type are skipped, because the schema reports them. */
export function crossChecks(settings: unknown): Finding[] {
  const roster = valueAt(settings, ['roster']);
  const entries = Array.isArray(roster) ? roster : [];
  const gates = entries.flatMap((entry, index) => gateOf(entry, index, settings) ?? []);
  return [
    ...badPatterns(settings),
    ...doubleStages(entries),
    ...ungatedStages(entries, settings),
    ...fallingGates(gates),
    ...targetTooHigh(gates, settings),
    ...sharesTooLarge(settings),
    ...reserveTooLarge(settings),
  ];
}

function gateOf(entry: unknown, index: number, settings: unknown): Gate | undefined {
  if (typeof entry === 'string') {
    const path = ['thresholds', `${entry}Threshold`];
    const opensAt = share(settings, ...path);
    return !opensAt ? undefined : { stage: entry, opensAt, path };
  }
  const opensAt = share(entry, 'opensAt');
  const path = ['roster', index, 'opensAt'];
  return !opensAt ? undefined : { stage: nameOf(entry) ?? '?', opensAt, path };
}

/** Checks compaction settings that need a plugin. Accepts any content, as `crossChecks` does. */
export function compactorFindings(settings: unknown, compactors: readonly string[]): Finding[] {
  return [...delegateWithoutCompactor(settings, compactors), ...wrongCompactor(settings, compactors)];
}

/** A compactor replaces the stages; without a compactor, `delegate` cannot run. */
function* delegateWithoutCompactor(settings: unknown, compactors: readonly string[]): Iterable<Finding> {
  const path = ['compaction', 'strategy'];
  if (compactors.length > 0 || ![valueAt(settings, path)].flat().includes('delegate')) return;
  yield {
    path,
    allowed: 'prune, drop, summarize, checkpoint',
    remedy: 'delegate needs a compactor plugin; no compactor is loaded.',
  };
}

/** Each agent has one compactor: if several are loaded, the settings must name it. */
function* wrongCompactor(settings: unknown, compactors: readonly string[]): Iterable<Finding> {
  const path = ['compaction', 'compactor'];
  const named = valueAt(settings, path);
  const isMissing = named === null && compactors.length > 1;
  const isUnknown = typeof named === 'string' && named !== '' && compactors.length === 0;
  if (!isMissing && !isUnknown) return;
  yield {
    path,
    allowed: compactors.join(' | ') || 'empty: no plugin that is loaded is a compactor',
    remedy: isMissing
      ? `One compactor an agent, and plugins ${compactors.join(', ')} each are one: name it, or take the others out of plugins.`
      : 'Name one of these, or load the plugin.',
  };
}

/** Settings that are patterns, with their flags. */
const PATTERNS = [
  { at: ['pins', 'patterns'], flags: 'u' },
  { at: ['redact'], flags: 'g' },
];

function* badPatterns(settings: unknown): Iterable<Finding> {
  for (const { at, flags } of PATTERNS) {
    const patterns = valueAt(settings, at);
    for (const [index, source] of (Array.isArray(patterns) ? patterns : []).entries()) {
      try {
        RegExp(String(source), flags);
      } catch {
        yield { path: [...at, index], allowed: 'a regular expression', remedy: 'Fix the pattern.' };
      }
    }
  }
}

function* doubleStages(entries: readonly unknown[]): Iterable<Finding> {
  const names = entries.map(nameOf);
  for (const [index, name] of names.entries()) {
    if (name === undefined || names.indexOf(name) === index) continue;
    const remedy = `Take out one of the two entries for ${name}.`;
    yield { path: ['roster', index], allowed: 'each stage once', remedy };
  }
}

/** The suffix of gates among the thresholds. */
const GATE = 'Threshold';

/** A bare name has its gate among the thresholds; any other stage must have its own. */
function* ungatedStages(entries: readonly unknown[], settings: unknown): Iterable<Finding> {
  const gated = Object.keys(Object(valueAt(settings, ['thresholds'])))
    .filter((key) => key.endsWith(GATE))
    .map((key) => key.slice(0, -GATE.length));
  for (const [index, entry] of entries.entries()) {
    if (typeof entry !== 'string' || gated.includes(entry)) continue;
    const meant = nearest(entry, gated);
    const remedy = `${meant ? `Did you mean ${meant}? Else write` : 'Write'} {stage: ${entry}, opensAt: 0.9}.`;
    yield { path: ['roster', index], allowed: 'a built-in stage by name, or a stage with its gate', remedy };
  }
}

function* fallingGates(gates: readonly Gate[]): Iterable<Finding> {
  for (const [index, gate] of gates.entries()) {
    const before = gates[index - 1];
    if (!before || gate.opensAt >= before.opensAt) continue;
    yield {
      path: gate.path,
      allowed: `${before.opensAt} (${before.stage}) or more`,
      remedy: `Raise ${gate.stage} or lower ${before.stage}: gates may not fall along the roster.`,
      otherwise: [{ path: before.path, allowed: `${gate.opensAt} (${gate.stage}) or less` }],
    };
  }
}

function* targetTooHigh(gates: readonly Gate[], settings: unknown): Iterable<Finding> {
  const target = share(settings, 'target');
  const first = gates[0];
  if (target === undefined || !first) return;
  if (target >= first.opensAt) {
    yield {
      path: ['target'],
      allowed: `below ${first.opensAt}, where ${first.stage} opens`,
      remedy: `Lower the target or raise ${first.stage}; without room between them, every call compacts.`,
      otherwise: [{ path: first.path, allowed: `above ${target}, the target` }],
    };
    return;
  }
  const minGain = share(settings, 'minGain');
  const room = first.opensAt - target;
  if (minGain === undefined || minGain <= room + ROUNDING) return;
  yield {
    path: ['minGain'],
    allowed: `at most ${round(room)}, from the first gate to the target`,
    remedy: 'Lower minGain or the target; a run that reaches the target would otherwise commit nothing.',
    otherwise: [
      {
        path: ['target'],
        allowed: `at most ${round(first.opensAt - minGain)}, a minGain below the first gate`,
      },
      { path: first.path, allowed: `at least ${round(target + minGain)}, a minGain above the target` },
    ],
  };
}

/** Pins and summaries have separate hard shares; if these add up to 1 or more, the conversation has no room. */
function* sharesTooLarge(settings: unknown): Iterable<Finding> {
  const shares = ['pins', 'summary'].map((key) => ({
    key,
    part: share(settings, key, 'share') ?? 0,
  }));
  const sum = shares.reduce((total, { part }) => total + part, 0);
  if (sum < 1 - ROUNDING) return;
  const seen = shares.map(({ key, part }) => ({
    path: [key, 'share'],
    allowed: `below ${round(Math.max(0, 1 - sum + part))}; pins and summary share one budget`,
  }));
  const remedy = 'Lower one of the two shares; what they leave is all the conversation has.';
  yield { ...seen[0]!, remedy, otherwise: seen.slice(1) };
}

function* reserveTooLarge(settings: unknown): Iterable<Finding> {
  const window = count(settings, 'window');
  const output = count(settings, 'reserve', 'output');
  const injection = count(settings, 'reserve', 'injection');
  if (window === 0 || output + injection < window) return;
  const key = output >= injection ? 'output' : 'injection';
  const remedy = 'Lower the reserve or raise the window.';
  yield {
    path: ['reserve', key],
    allowed: `reserves that together stay below the window of ${window}`,
    remedy,
  };
}

function nameOf(entry: unknown): string | undefined {
  const name = typeof entry === 'string' ? entry : valueAt(entry, ['stage']);
  return typeof name === 'string' ? name : undefined;
}

/** A number from 0 to 1. Values out of range are already reported; a rule about them would only repeat the report. */
function share(value: unknown, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, path);
  return typeof found === 'number' && found >= 0 && found <= 1 ? found : undefined;
}

function count(value: unknown, ...path: readonly string[]): number {
  const found = valueAt(value, path);
  return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : 0;
}

const round = (value: number) => Number(value.toFixed(6));
