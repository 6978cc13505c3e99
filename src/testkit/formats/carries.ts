import type { FilePart, Message, Part, ToolCallPart, ViewMessage } from '../../transcript/index.js';
import { frozen } from '../frozen.js';
import { ORDERLY } from '../histories/index.js';
import { bodyOf } from '../legal.js';
import { RuleBroken } from '../rule.js';
import { casesOf } from './checks.js';
import type { FormatSubject } from './subject.js';
import { cutResult, unedited } from './views.js';

/** Every call of a log is sent with its tool and its arguments, even if edited, and every image of the user is sent. */
export function checkCalls({ format }: FormatSubject): void {
  for (const { where, messages, view } of casesOf(ORDERLY)) {
    const sent = readBack(format, view);
    demandCalls(callsIn(messages), callsIn(sent), where);
    const [pictures, carried] = [messages, sent].map(picturesOf);
    // Some formats send images of results in a user turn, so there may be more.
    if (carried! < pictures!)
      throw new RuleBroken(`${where}: of ${pictures} pictures of the user ${carried} are sent`);
    const trimmed = view.map(withTrimmedArguments);
    demandCalls(
      callsIn(trimmed.map(({ message }) => message)),
      callsIn(readBack(format, trimmed)),
      `${where}, edited`,
    );
  }
}

/** The content of the format's own bodies is preserved, with thinking and signatures, even next to an edit. */
export function checkSamples({ format, samples = [] }: FormatSubject): void {
  samples.forEach((sample, index) => {
    const where = `sample ${index + 1}`;
    const was = JSON.parse(JSON.stringify(sample)) as unknown;
    const { messages } = format.parse(frozen(was));
    const view = unedited(messages);
    const list = JSON.stringify(bodyOf(format, view)[format.messagesField]);
    const own = Array.isArray(was) ? was : (was as Readonly<Record<string, unknown>>)[format.messagesField];
    if (Array.isArray(own) && list !== JSON.stringify(own))
      throw new RuleBroken(`${where}: its ${format.messagesField} come back changed`);
    const thinking = messages.flatMap(({ parts }) => parts.flatMap(thinkingTexts));
    if (thinking.length === 0)
      throw new RuleBroken(`${where}: no thinking is read, so none is tried; hold some in it`);
    const at = view.findIndex((shown) => cutResult(shown) !== shown);
    const cut = JSON.stringify(bodyOf(format, at < 0 ? view : view.with(at, cutResult(view[at]!))));
    for (const proof of thinking)
      if (!cut.includes(JSON.stringify(proof)))
        throw new RuleBroken(
          `${where}, a result cut: ${proof.slice(0, 80)} of the thinking is not sent any more`,
        );
  });
}

function readBack(format: FormatSubject['format'], view: readonly ViewMessage[]): readonly Message[] {
  return format.parse(JSON.parse(JSON.stringify(bodyOf(format, view)))).messages;
}

function callsIn(messages: readonly Message[]): readonly ToolCallPart[] {
  return messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'));
}

function demandCalls(was: readonly ToolCallPart[], is: readonly ToolCallPart[], where: string): void {
  if (was.length !== is.length)
    throw new RuleBroken(`${where}: of ${was.length} calls ${is.length} are sent`);
  was.forEach((call, at) => {
    const [found, wanted] = [is[at]!, call].map(({ name, arguments: args }) => `${name}(${normal(args)})`);
    if (found !== wanted)
      throw new RuleBroken(`${where}: ${wanted!.slice(0, 120)} is sent as ${found!.slice(0, 120)}`);
  });
}

/** Arguments independent of white space. */
function normal(args: string): string {
  return JSON.stringify(JSON.parse(args === '' ? '{}' : args));
}

function picturesOf(messages: readonly Message[]): number {
  const isPicture = (part: Part): part is FilePart =>
    part.type === 'file' && part.mediaType.startsWith('image/');
  return messages.reduce(
    (sum, { role, parts }) => sum + (role === 'user' ? parts.filter(isPicture).length : 0),
    0,
  );
}

function withTrimmedArguments(shown: ViewMessage): ViewMessage {
  const index = shown.message.parts.findIndex((part) => part.type === 'tool-call');
  const part = shown.message.parts[index];
  if (!shown.source || part?.type !== 'tool-call') return shown;
  const parts = shown.source.parts.with(index, { ...part, arguments: '{"path":"[cut]"}' });
  const replaced = new Map([[index, { stage: 'kit', reason: 'kit', length: 1 }]]);
  return { ...shown, message: { ...shown.source, parts }, replaced };
}

function thinkingTexts(part: Part): readonly string[] {
  if (part.type !== 'reasoning') return [];
  return [part.text, part.signature].filter((one) => one !== undefined && one !== '') as string[];
}
