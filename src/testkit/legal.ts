import { formats } from '../formats/index.js';
import type { WireFormat } from '../spi/index.js';
import type { ViewMessage } from '../transcript/index.js';
import { RuleBroken } from './rule.js';
import { validators } from './validators.js';

/** A view as the whole request body of a format. */
export function bodyOf(format: WireFormat, view: readonly ViewMessage[]): Readonly<Record<string, unknown>> {
  const { messages, beside } = format.serialise(view);
  return { ...beside, [format.messagesField]: messages };
}

/** Writes a view in every format that has a validator. Throws `RuleBroken` at the first fault. */
export function demandLegal(view: readonly ViewMessage[], where: string): void {
  for (const format of formats.values()) {
    const fault = validators.get(format.name)?.(bodyOf(format, view))[0];
    if (fault)
      throw new RuleBroken(
        `${where}: the ${format.name} request breaks ${fault.rule} at message ${fault.at}: ${fault.what}`,
      );
  }
}
