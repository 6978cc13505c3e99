// @ts-check
import { appendFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definePlugin } from 'spillway/spi';
import { z } from 'zod';
import { sectionOf } from './page.js';

const Knobs = z.strictObject({
  folder: z
    .string()
    .min(1)
    .default('./compactions')
    .meta({ title: 'Folder' })
    .describe('Where the pages are written, one for each session; taken from where the process runs.'),
  mostChars: z
    .int()
    .min(200)
    .max(100_000)
    .multipleOf(200)
    .default(4_000)
    .meta({ title: 'Longest text' })
    .describe('Characters of one text; what is longer is cut, and says so.'),
  toolOutput: z
    .boolean()
    .default(true)
    .meta({ title: 'Output of tools' })
    .describe('Whether what tools answered is written as well.'),
});

/** Writes each compaction to a file. A failed write is reported, and does not affect the session. */
export const plugin = definePlugin({
  summary: 'Writes what was compacted to a Markdown file for each session.',
  knobs: Knobs,
  observer: {
    async postCompact(event, { knobs, log }) {
      if (!event.success) return;
      const { folder, mostChars, toolOutput } = knobs;
      await mkdir(folder, { recursive: true });
      const file = join(folder, `${fileName(event.sessionId)}.md`);
      const section = sectionOf(event, { at: new Date(), mostChars, toolOutput });
      // One write, so that the sections of two agents of a session are never mixed.
      await appendFile(file, section);
      log.info(`${event.superseded.length} messages written to ${file}`);
    },
  },
});

/** For `spillway conform`: a folder that the plugin may write to. */
export const conform = { knobs: { markdown: [{ folder: join(tmpdir(), 'spillway-conform-markdown') }] } };

/**
 * A file name that keeps every session id inside the folder, and that no two ids share.
 *
 * @param {string} sessionId
 */
function fileName(sessionId) {
  return encodeURIComponent(sessionId).replaceAll('*', '%2A').replaceAll('.', '%2E');
}
