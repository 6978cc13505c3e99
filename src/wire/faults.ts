import { SpillwayError } from '../errors/index.js';

/** The error of a wire format for input that is not of it; `pass` is what it wants instead. */
export function notOfFormat(
  format: string,
  allowed: string,
  pass: string,
): (subject: string, found: string) => SpillwayError {
  const remedy = `Pass ${pass}, or name the format the file is in.`;
  return (subject, found) =>
    new SpillwayError('INPUT_FORMAT', { subject: `${format}: ${subject}`, found, allowed, remedy });
}
