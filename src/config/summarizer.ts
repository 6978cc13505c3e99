import { SpillwayError } from '../errors/index.js';
import type { SummarizerChoice } from '../transcript/index.js';
import type { Settings } from './schema.js';

type SummarizerSettings = Pick<
  Settings,
  'summarizer' | 'summarizerAgents' | 'summarizerModel' | 'compaction' | 'model'
>;

/**
 * The own prompt, else a named agent, else the default, else none: runs only prune then. `inCode` names a summarizer
 * from code, which is then the default; otherwise a plugin's may be. Throws `CONFIG_INVALID` for an undefined agent.
 */
export function chooseSummarizer(settings: SummarizerSettings, inCode?: string): SummarizerChoice {
  const { prompt, agent } = settings.compaction;
  if (prompt) return { from: 'prompt', name: prompt };
  const defined = Object.keys(settings.summarizerAgents);
  if (agent && (agent !== DEFAULT_AGENT || defined.includes(agent))) {
    if (!defined.includes(agent))
      throw new SpillwayError('CONFIG_INVALID', {
        subject: 'compaction.agent',
        found: agent,
        allowed: defined.join(', ') || 'none is defined',
        remedy: 'Name one of summarizerAgents, or define it there.',
      });
    return { from: 'agent', name: agent };
  }
  if (settings.summarizer === 'none') return { from: 'none', name: 'none' };
  if (inCode !== undefined) return { from: 'code', name: inCode };
  if (settings.summarizer !== 'model' && settings.summarizer !== EXTRACTIVE)
    return { from: 'code', name: settings.summarizer };
  const model = settings.summarizerModel.model || settings.model || '';
  return { from: 'default', name: settings.summarizer === 'model' ? model : EXTRACTIVE };
}

/** Whether text has to be requested, not only extracted from the messages. */
export const asksForText = ({ from, name }: SummarizerChoice): boolean =>
  from !== 'none' && !(from === 'default' && name === EXTRACTIVE);

const EXTRACTIVE = 'extractive';
/** The `agent` profile's name for the default summarizer; an agent that is defined by this name takes precedence. */
const DEFAULT_AGENT = 'Compaction';

const DESCRIPTIONS: Readonly<Record<SummarizerChoice['from'], string>> = {
  prompt: 'its own prompt, by the model of the session',
  agent: 'a named agent',
  default: 'the default',
  code: 'handed in by code, or brought by a plugin',
  none: 'no one: stages only prune, and the oldest is dropped if that is not enough',
};

/** The choice in words, with its reason. */
export const describeChoice = ({ from, name }: SummarizerChoice): string => `${name} (${DESCRIPTIONS[from]})`;
