import type { SecretBook, TrustIndex } from '../text/facts/index.js';
import type { MeasureMessage } from '../spi/index.js';
import {
  addSizes,
  NO_SIZE,
  withContent,
  type Edit,
  type PlannedEdit,
  type ReadonlyLog,
  type Size,
  isPlain,
  parseSaid,
  writeJson,
  type Message,
  type Part,
  type TextPart,
} from '../transcript/index.js';
import { isHumanText } from './wording.js';

/**
 * Cleans the text of an edit and measures it: a stage cannot report its own savings. `known` describes the sources of
 * texts.
 */
export function measureEdit(
  proposed: Edit,
  stage: string,
  log: ReadonlyLog,
  measure: MeasureMessage,
  known: Omit<Provenance, 'log'> = {},
): PlannedEdit {
  const edit = cleanEdit(proposed, { ...known, log });
  if (edit.kind === 'supersede') {
    return { ...edit, stage, sizes: edit.replacement.map((message) => measure(message)) };
  }
  const source = log.find(edit.messageId)!;
  const parts = withContent(source.parts[edit.partIndex]!, edit.content);
  const size: Size = measure({ ...source, parts }).parts.reduce(addSizes, NO_SIZE);
  return { ...edit, stage, size };
}

export function sizeOf(edit: PlannedEdit): Size {
  return edit.kind === 'replace' ? edit.size : edit.sizes.reduce(addSizes, NO_SIZE);
}

/** The log, and what is known of it, from which texts are made. */
interface Provenance {
  readonly log: ReadonlyLog;
  /** Absent: texts are not cleaned. */
  readonly secrets?: SecretBook;
  /** Absent: messages get no trust. */
  readonly trust?: TrustIndex;
}

/**
 * Every text enters a view through this function, by any author: secrets are removed, and a replacement gets the
 * lowest trust among the replaced messages. Text of users and operators stays verbatim, also if a part of it is cut or
 * merged.
 */
function cleanEdit(edit: Edit, from: Provenance): Edit {
  if (edit.kind === 'replace') return { ...edit, content: contentOf(edit, from) };
  return { ...edit, replacement: edit.replacement.map((message) => messageOf(message, edit, from)) };
}

function contentOf(edit: Extract<Edit, { kind: 'replace' }>, { log, secrets }: Provenance): readonly Part[] {
  const source = log.find(edit.messageId)!;
  const original = source.parts[edit.partIndex]!;
  if (!secrets || isHumanText(source, original)) return edit.content;
  const clean = original.type === 'tool-call' ? inJson(secrets.redact) : secrets.redact;
  return edit.content.map((part) => cleaned(part, clean));
}

function messageOf(
  message: Message,
  { fromId, toId }: Extract<Edit, { kind: 'supersede' }>,
  { log, secrets, trust }: Provenance,
): Message {
  if (message.role !== 'assistant') return message;
  const parts = secrets ? message.parts.map((part) => cleaned(part, secrets.redact)) : message.parts;
  if (!trust || message.origin !== 'synthetic') return { ...message, parts };
  return { ...message, parts, trust: trust.lowest(log.find(fromId)!.seq, log.find(toId)!.seq) };
}

function cleaned(part: Part, clean: (text: string) => string): Part {
  if (part.type !== 'text') return part;
  const text = clean(part.text);
  if (text === part.text) return part;
  // The stored `wire` of the original would be sent instead of the text.
  const { wire: _, ...rest } = part;
  return { ...rest, text } satisfies TextPart;
}

/** Arguments of calls have to stay JSON, so each string in them is cleaned separately. */
function inJson(clean: (text: string) => string): (text: string) => string {
  return (text) => {
    if (clean(text) === text) return text;
    try {
      return writeJson(withTexts(parseSaid(text), clean))!;
    } catch {
      return clean(text);
    }
  };
}

function withTexts(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((inner) => withTexts(inner, clean));
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withTexts(inner, clean)]));
}
