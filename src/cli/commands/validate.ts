import { readFile } from 'node:fs/promises';
import { SpillwayError } from '../../errors/index.js';
import { validators } from '../../testkit/index.js';
import { EXIT } from '../exit.js';
import type { Terminal } from '../terminal.js';

export interface ValidateOptions {
  readonly format: string;
  readonly json?: boolean;
}

/** Checks anyone's request against the provider's rules; exit code 1 where one is broken. */
export async function validate(file: string, options: ValidateOptions, terminal: Terminal): Promise<number> {
  const { format } = options;
  const judge = validators.get(format);
  if (!judge) {
    throw new SpillwayError('INPUT_FORMAT', {
      subject: '--format',
      found: format,
      allowed: [...validators.keys()].join(', '),
      remedy: 'Name the format that the request is written in.',
    });
  }
  const violations = judge(await readJson(file));
  if (options.json) terminal.out(`${JSON.stringify({ file, format, violations })}\n`);
  else if (violations.length === 0) terminal.out(`${file}: legal ${format}\n`);
  else
    for (const { rule, at, what } of violations) terminal.out(`${file}: ${rule} at message ${at}: ${what}\n`);
  return violations.length === 0 ? EXIT.done : EXIT.inputAtFault;
}

async function readJson(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new SpillwayError('INPUT_UNREADABLE', {
      subject: file,
      found: cause instanceof Error ? cause.message : String(cause),
      remedy: 'Name a file that can be read.',
      cause,
    });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SpillwayError('INPUT_FORMAT', {
      subject: file,
      found: cause instanceof Error ? cause.message : 'no JSON',
      allowed: 'a JSON message list, or a request body',
      remedy: 'Save the request as JSON.',
      cause,
    });
  }
}
