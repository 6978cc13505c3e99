import { isFields, kindOf } from '../record.js';
import { wellFormed } from '../conversation/well-formed.js';
import { fileNote } from '../conversation/placeholders.js';
import { isThinking, type Block } from './wire.js';
import type { Report } from '../conversation/repairs.js';

/** Puts right in one block what the provider refuses, each with a notice; the same object where nothing is wrong. */
export function mendBlock(block: Block, report: Report): Block | undefined {
  const whole = mendText(block, report);
  if (whole.type === 'text') return spokenText(whole, report);
  if (isThinking(whole)) return mendThinking(whole, report);
  if (whole.type === 'tool_use') return mendCall(whole, report);
  if (whole.type === 'tool_result') return mendResult(whole, report);
  return whole;
}

function spokenText(block: Block, report: Report): Block | undefined {
  if (typeof block.text === 'string' && block.text.trim() !== '') return block;
  report('empty-text', 'an empty text is left out');
  return undefined;
}

function mendThinking(block: Block, report: Report): Block | undefined {
  const proof = block.type === 'thinking' ? block.signature : block.data;
  if (typeof proof !== 'string' || proof === '') {
    report('unsigned-reasoning', 'thinking without its signature is not sent');
    return undefined;
  }
  if (!('cache_control' in block)) return block;
  const { cache_control: _, ...unmarked } = block;
  report('cache-mark', 'a cache mark on thinking is left out');
  return unmarked;
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

function mendCall(block: Block, report: Report): Block {
  const { name, input } = block;
  let mended = block;
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    const legal =
      String(name ?? '')
        .replace(/[^a-zA-Z0-9_-]/g, '_')
        .slice(0, 128) || 'unknown';
    report('tool-name', `a call to ${String(name)} is sent as one to ${legal}`);
    mended = { ...mended, name: legal };
  }
  if (isFields(input)) return mended;
  report('arguments-not-json', `the input of a call is ${kindOf(input)}; sent in the field \`arguments\``);
  return { ...mended, input: input === undefined || input === null ? {} : { arguments: input } };
}

function mendResult(block: Block, report: Report): Block {
  if (!Array.isArray(block.content)) return block;
  const content: readonly unknown[] = block.content;
  const kept = content.flatMap((inner) => {
    if (!isFields(inner)) return [{ type: 'text', text: String(inner) }];
    if (inner.type === 'text') return spokenText(inner, report) ?? [];
    if (block.is_error !== true) return [inner];
    const note = fileNote(String(inner.type), Buffer.byteLength(JSON.stringify(inner)));
    report('file-named', `the result of a failed call holds words only; sent is ${note}`);
    return [{ type: 'text', text: note }];
  });
  const same = kept.length === content.length && kept.every((inner, at) => inner === content[at]);
  return same ? block : { ...block, content: kept };
}

/** Half a character is no text in JSON that providers take. */
function mendText(block: Block, report: Report): Block {
  const whole = wellFormed(block);
  if (whole !== block) report('lone-surrogate', 'halves of characters are sent as U+FFFD');
  return whole;
}
