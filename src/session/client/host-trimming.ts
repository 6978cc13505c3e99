/** A request body with trimming by the host switched off, and what was. */
export interface Untrimmed<Body> {
  readonly body: Body;
  /** Fields that had asked for it, e.g. `truncation: auto`. */
  readonly switchedOff: readonly string[];
}

/**
 * Switches off what lets a provider or gateway cut a request silently: `truncation: auto` (OpenAI Responses),
 * `transforms: [middle-out]` (OpenRouter), `truncate` (Ollama), `context_management` (Anthropic,
 * OpenAI Responses; `contextManagement` in options of the AI SDK). What is cut there is in no ledger. The body that was
 * given is not changed. The drop-ins do this to every request.
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
  for (const field of ['context_management', 'contextManagement']) {
    if (changed[field] === undefined) continue;
    delete changed[field];
    switchedOff.push(field);
  }
  return { body: switchedOff.length > 0 ? (changed as Body) : body, switchedOff };
}
