import { firstLineOf, inTime, LATE, type LoadedPlugin } from '../plugins/index.js';
import type { HookApi, PluginLog, PluginSummaryRequest, PluginValues } from '../../spi/index.js';
import type { HookRun } from '../../transcript/index.js';
import type { Pieces } from '../wiring.js';

/** A call of one hook. */
export interface HookCall<T> {
  readonly plugin: LoadedPlugin;
  readonly hook: HookRun['hook'];
  readonly ms: number;
  readonly run: (api: HookApi) => unknown;
  /** Reads the answer; throws if it is not valid. */
  readonly read: (answer: unknown) => T;
  /** The message for the record of a completed call. */
  readonly messageOf?: (value: T) => string | undefined;
}

/** Calls hooks of plugins, each with a deadline, and reports each call. The call resolves even if the hook fails. */
export class HookCalls {
  readonly #values = new Map<string, PluginValues>();

  constructor(
    private readonly pieces: Pick<
      Pieces,
      'agent' | 'audit' | 'clock' | 'costs' | 'key' | 'plugins' | 'stream' | 'summarizer' | 'thread' | 'timer'
    >,
  ) {}

  /** `value`: undefined if the hook threw, was late, or gave a wrong answer. */
  async call<T>({ plugin, hook, ms, run, read, messageOf }: HookCall<T>) {
    const { audit, clock, key, plugins, stream, timer } = this.pieces;
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
      message = outcome === 'threw' ? `threw: ${firstLineOf(error)}` : firstLineOf(error);
    }
    const durationMs = timer() - started;
    const line: HookRun = {
      plugin: name,
      hook,
      outcome,
      durationMs,
      ...(message !== undefined && { message }),
    };
    stream.emit({ kind: 'plugin-hook', ...line });
    // The failure of a compactor is reported later, together with all that it led to.
    if (outcome !== 'done' && hook !== 'compact') audit.add('plugin-failed', undefined, { ...line });
    return { line, value: outcome === 'done' ? value : undefined };
  }

  #valuesOf(plugin: LoadedPlugin): PluginValues {
    const { plugins, key } = this.pieces;
    const known = this.#values.get(plugin.name) ?? plugins.host.valuesIn(key.sessionId, plugin);
    this.#values.set(plugin.name, known);
    return known;
  }

  #apiFor(plugin: LoadedPlugin, signal: AbortSignal): HookApi {
    const { agent, summarizer, plugins, stream, thread, costs } = this.pieces;
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
            redact: (text) => thread.reader.catchUp().secrets.redact(text),
            onCall: (call) => costs.addCall(call),
          }),
      }),
    });
  }
}
