import type { ConfigSources, RunReport, Session, SpillwayOptions } from '../../src/index.js';
import type { Emulator } from '../emulator/index.js';
import { engine, fill, read, shownText, system, talk } from './support.js';

export const BUDGET = 8_000;

/** Settings under which summaries come from the emulator, through the real AI SDK. */
export function emulated(emulator: Emulator, settings: ConfigSources['settings'] = {}) {
  return {
    summarizer: 'model' as const,
    summarizerModel: { model: 'emulated', baseUrl: emulator.url },
    ...settings,
  };
}

/** A session of plain talk; only auto opens, so that a run buys one summary. */
export async function filling(
  emulator: Emulator,
  settings: ConfigSources['settings'] = {},
  sources: Omit<SpillwayOptions, 'settings'> = {},
): Promise<Session> {
  const spillway = await engine(BUDGET, emulated(emulator, { roster: ['auto'], ...settings }), sources);
  const session = spillway.session();
  session.append(...read([system('Be brief.')]));
  return session;
}

/** Adds talk until the pressure is over the gate of auto. */
export function loaded(session: Session, round: number): void {
  const chat = read(talk(20, 200, 10_000 * round)).map((message) => ({
    ...message,
    id: `r${round}${message.id}`,
  }));
  for (const message of chat) {
    if (session.reading.pressure > 0.85) break;
    session.append(message);
  }
  fill(session, 0.94, 900 + round);
}

/** As `loaded`, and prepares the next request. */
export async function pressed(session: Session, round: number): Promise<RunReport> {
  loaded(session, round);
  return (await session.prepare()).run;
}

/** The texts that replace spans. */
export const summariesOf = (session: Session): string[] =>
  session.view.filter(({ message }) => message.label === 'summary').map(shownText);
