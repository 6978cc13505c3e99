import { LATE, inTime, wordsOf, type LoadedPlugin } from '../plugins/index.js';
import type { HookApi, PluginLog, PluginSummaryRequest, PluginValues } from '../../spi/index.js';
import type { HookRun } from '../../transcript/index.js';
import type { Pieces } from '../wiring.js';

/** One hook to call. */
export interface HookCall<T> {
  readonly plugin: LoadedPlugin;
  readonly hook: HookRun['hook'];
  readonly ms: number;
  readonly run: (api: HookApi) => unknown;
  /** What its answer comes to; throws where it is none. */
  readonly read: (answer: unknown) => T;
  /** What is said of a call that was done. */
  readonly messageOf?: (value: T) => string | undefined;
}

/** Calls hooks of plugins: each under its deadline, told by plugin and hook. Whatever one does, the call resolves. */
export class HookCalls {
  readonly #values = new Map<string, PluginValues>();

  constructor(
    private readonly of: Pick<
      Pieces,
      'agent' | 'audit' | 'clock' | 'costs' | 'key' | 'plugins' | 'stream' | 'summarizer' | 'thread' | 'timer'
    >,
  ) {}

  /** `value`: undefined where it threw, was late, or answered wrongly. */
  async call<T>({ plugin, hook, ms, run, read, messageOf }: HookCall<T>) {
    const { key, clock, plugins, timer } = this.of;
    const { name } = plugin;
    const started = timer();
    const { inFlight } = plugins.host;
    const call = { plugin: name, hook, ...key, since: clock() };
    inFlight.add(call);
    const ended = (): void => void inFlight.delete(call);
    let outcome: HookRun['outcome'] = 'threw';
    let message: string | undefined;
    let value: T | undefined;
    try {
      const answer = await inTime(ms, (signal) => run(this.#apiFor(plugin, signal)), ended);
      if (answer === LATE) {
        outcome = 'late';
        message = `has not settled in ${ms} ms`;
      } else {
        outcome = 'wrong';
        value = read(answer);
        outcome = 'done';
        message = messageOf?.(value);
      }
    } catch (error) {
      message = outcome === 'threw' ? `threw: ${wordsOf(error)}` : wordsOf(error);
    }
    const durationMs = timer() - started;
    const line: HookRun = {
      plugin: name,
      hook,
      outcome,
      durationMs,
      ...(message !== undefined && { message }),
    };
    this.of.stream.emit({ kind: 'plugin-hook', ...line });
    // Of a compactor the whole chain is told, when its end is known.
    if (outcome !== 'done' && hook !== 'compact') this.of.audit.say('plugin-failed', undefined, { ...line });
    return { line, value: outcome === 'done' ? value : undefined };
  }

  #valuesOf(plugin: LoadedPlugin): PluginValues {
    const { plugins, key } = this.of;
    const known = this.#values.get(plugin.name) ?? plugins.host.valuesIn(key.sessionId, plugin);
    this.#values.set(plugin.name, known);
    return known;
  }

  #apiFor(plugin: LoadedPlugin, signal: AbortSignal): HookApi {
    const { agent, summarizer, plugins, stream, thread, costs } = this.of;
    const { filler } = summarizer;
    const says =
      (level: keyof PluginLog) =>
      (message: string): void =>
        stream.emit({ kind: 'plugin-said', plugin: plugin.name, level, message: String(message) });
    return Object.freeze({
      ...plugins.host.apiOf(plugin),
      values: this.#valuesOf(plugin),
      knobs: agent.knobs[plugin.name],
      log: { debug: says('debug'), info: says('info'), warn: says('warn'), error: says('error') },
      signal,
      ...(filler && {
        summarize: (request: PluginSummaryRequest) =>
          filler.write(plugin.name, request, {
            signal,
            redact: (text) => thread.reader.caughtUp().secrets.redact(text),
            onCall: (call) => costs.addCall(call),
          }),
      }),
    });
  }
}
