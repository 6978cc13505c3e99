import { SpillwayError } from '../../../errors/index.js';
import { readJsonFile, readSession, wireOf } from '../../importers/index.js';
import { validators } from '../../../testkit/index.js';
import { EXIT, type Terminal, visible } from '../terminal.js';

export interface ValidateOptions {
  /** Name of a wire format, or `auto` to detect the format from the request. */
  readonly format: string;
  readonly json?: boolean;
}

/** Checks a request against the provider's rules. The exit code is 1 if a rule is broken. */
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
    throw isRecording ? recordingFault(file, cause) : cause;
  });
  // Providers reject the bytes, regardless of their content.
  if (isDamaged)
    throw new SpillwayError('INPUT_FORMAT', {
      subject: file,
      found: 'bytes that are not UTF-8',
      allowed: 'a request: JSON in UTF-8',
      remedy: 'Convert it to UTF-8. Providers cannot read it as it is.',
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

/** Only a request can be validated, and a recording contains none. */
const recordingFault = (file: string, cause: unknown): SpillwayError =>
  new SpillwayError('INPUT_FORMAT', {
    subject: file,
    found: 'a recording of a session',
    allowed: 'a request: one JSON value',
    remedy: '`spillway compact FILE --out request.json` writes a request of a recording.',
    cause,
  });
