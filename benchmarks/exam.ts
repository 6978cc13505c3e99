/**
 * The continuation exam: how many questions about the next steps can a reader answer from the compacted request alone?
 *
 *   npm run bench:exam -- [--exams DIR] [--sessions DIR] [--window 16000] [--only G,H] [--out DIR]
 *
 * Replays each session up to its cut, writes the request and the questions (`OUT/X/context.txt`, `questions.md`) for
 * readers and graders, and prints how close together the words of each answer are. That figure is a hint, not the
 * result: lists of names raise it, and only readers can judge whether an agent could continue.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compacted, contextOf, EXAMS, readExams } from './exam/exams.js';
import { proxyOf, scoresOf, type Scored } from './exam/proxy.js';
import { provenance, saveResult } from './support/provenance.js';
import { referenceCount } from './support/reference-count.js';
import { CORPUS } from './support/sessions.js';

const { values: flags } = parseArgs({
  options: {
    exams: { type: 'string', default: EXAMS },
    sessions: { type: 'string', default: CORPUS },
    window: { type: 'string', default: '16000' },
    only: { type: 'string' },
    out: { type: 'string', default: join(tmpdir(), 'spillway-exam') },
  },
});
const command = `npm run bench:exam -- ${process.argv.slice(2).join(' ')}`.trim();
const loaded = provenance(command);
const window = Number(flags.window);

const rows: Scored[] = [];
const tokens: Record<string, number> = {};
for (const exam of readExams(flags.exams, flags.sessions, flags.only)) {
  const request = await compacted(exam.history, window);
  const context = contextOf(request);
  const folder = join(flags.out, exam.name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'context.txt'), context);
  const asked = exam.questions.map(({ id, q }) => `- ${id}: ${q}`).join('\n');
  writeFileSync(join(folder, 'questions.md'), `${asked}\n`);
  tokens[exam.name] = referenceCount(request);
  rows.push(...scoresOf(exam, context));
}

const result = { window, ...proxyOf(rows), tokens };
console.log(result);
console.log(`contexts in ${flags.out}; ${saveResult('exam', command, result, loaded)}`);
