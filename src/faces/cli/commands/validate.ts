import { SpillwayError } from '../../../errors/index.js';
import { readJsonFile, readSession, wireOf } from '../../importers/index.js';
import { validators } from '../../../testkit/index.js';
import { EXIT, type Terminal, visible } from '../terminal.js';

export interface ValidateOptions {
  /** Name of a wire format; `auto`: told from the request. */
  readonly format: string;
  readonly json?: boolean;
}

/** Checks anyone's request against the provider's rules; exit code 1 where one is broken. */
export async function validate(file: string, options: ValidateOptions, terminal: Terminal): Promise<number> {
  if (options.format !== 'auto' && !validators.has(options.format)) {
    throw new SpillwayError('INPUT_FORMAT', {
      subject: '--format',
      found: options.format,
      allowed: ['auto', ...validators.keys()].join(', '),
      remedy: 'Name the format that the request is written in.',
    });
  }
  const { value: request, isDamaged } = await readJsonFile(file).catch(async (cause: unknown) => {
    const isRecording = await readSession(file).then(
      () => true,
      () => false,
    );
    throw isRecording ? aRecording(file, cause) : cause;
  });
  // Providers refuse the bytes, whatever they would say.
  if (isDamaged)
    throw new SpillwayError('INPUT_FORMAT', {
      subject: file,
      found: 'bytes that are no UTF-8',
      allowed: 'a request: JSON in UTF-8',
      remedy: 'Convert it to UTF-8; as it is, no provider reads it.',
    });
  const format = options.format === 'auto' ? (wireOf(request) ?? 'openai-chat') : options.format;
  const violations = validators.get(format)!(request);
  if (options.json) terminal.out(`${JSON.stringify({ file, format, violations })}\n`);
  else if (violations.length === 0) terminal.out(`${file}: legal ${format}\n`);
  else {
    for (const { rule, at, what } of violations)
      terminal.out(`${file}: ${rule} at message ${at}: ${visible(what, '\\n')}\n`);
    if (options.format === 'auto') terminal.note(`read as ${format}; --format names another`);
  }
  return violations.length === 0 ? EXIT.done : EXIT.inputAtFault;
}

/** What is validated is a request; a recording has none in it. */
const aRecording = (file: string, cause: unknown): SpillwayError =>
  new SpillwayError('INPUT_FORMAT', {
    subject: file,
    found: 'a recording of a session',
    allowed: 'a request: one JSON value',
    remedy: '`spillway compact FILE --out request.json` writes a request of a recording.',
    cause,
  });
