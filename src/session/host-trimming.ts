/** A request body with trimming by the host switched off, and what was. */
export interface Untrimmed<Body> {
  readonly body: Body;
  /** Fields that had asked for it, e.g. `truncation: auto`. */
  readonly switchedOff: readonly string[];
}

/**
 * Switches off what lets a provider or gateway cut a request silently: `truncation: auto` (OpenAI Responses),
 * `transforms: [middle-out]` (OpenRouter), `truncate` (Ollama), `context_management` with edits (Anthropic). What is
 * cut there is in no ledger. The body that was given is not changed.
 */
export function withoutHostTrimming<Body extends object>(body: Body): Untrimmed<Body> {
  const changed: Record<string, unknown> = { ...(body as Readonly<Record<string, unknown>>) };
  const switchedOff: string[] = [];
  if (changed.truncation === 'auto') {
    changed.truncation = 'disabled';
    switchedOff.push('truncation: auto');
  }
  if (Array.isArray(changed.transforms) && changed.transforms.includes('middle-out')) {
    changed.transforms = changed.transforms.filter((one) => one !== 'middle-out');
    switchedOff.push('transforms: middle-out');
  }
  if (changed.truncate === true) {
    changed.truncate = false;
    switchedOff.push('truncate: true');
  }
  if (changed.context_management !== undefined) {
    delete changed.context_management;
    switchedOff.push('context_management');
  }
  return { body: switchedOff.length > 0 ? (changed as Body) : body, switchedOff };
}
