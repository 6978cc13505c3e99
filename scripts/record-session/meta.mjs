import { TOOLS } from './tools.mjs';

/** The first line of the session: its origin and its licence. */
export function meta(commit) {
  return {
    kind: 'meta',
    id: 'pressure-gauge',
    licence: 'MIT',
    format: 'openai-chat',
    source: 'scripts/record-session.mjs',
    ...(commit && { commit }),
    tools: Object.keys(TOOLS),
    notes:
      'A recording made for this repository: the words of user and agent are scripted, every tool call was really ' +
      'carried out in a copy of the repository, and every result is its real output. Paths are shown under ' +
      '/workspace/spillway; durations are left out.',
  };
}
