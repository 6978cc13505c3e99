import { formats } from '../formats/index.js';
import type { WireFormat } from '../spi/index.js';
import type { ViewMessage } from '../transcript/index.js';
import { RuleBroken } from './rule.js';
import { validators } from './validators.js';
import type { WireFault } from './wire/faults.js';

/** A view as the whole request body of a format. */
export function bodyOf(format: WireFormat, view: readonly ViewMessage[]): Readonly<Record<string, unknown>> {
  const { messages, beside } = format.serialise(view);
  return { ...beside, [format.messagesField]: messages };
}

/** Writes a view in every format that has a validator; the first fault of each, with the format's name. */
function illegalIn(view: readonly ViewMessage[]): { readonly format: string; readonly fault: WireFault }[] {
  return [...formats.values()].flatMap((format) => {
    const fault = validators.get(format.name)?.(bodyOf(format, view))[0];
    return fault ? [{ format: format.name, fault }] : [];
  });
}

export function demandLegal(view: readonly ViewMessage[], where: string): void {
  const [first] = illegalIn(view);
  if (!first) return;
  const { format, fault } = first;
  throw new RuleBroken(
    `${where}: the ${format} request breaks ${fault.rule} at message ${fault.at}: ${fault.what}`,
  );
}
