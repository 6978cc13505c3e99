/** The conditions for bundling a recording. They read only the written lines. */
import { homedir } from 'node:os';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

const LEAST_TOKENS = 40_000;
const LEAST_PARALLEL = 3;
const LEAST_HUGE_TOKENS = 12_000;

/** A published session must not name machines, people or package registries. */
const FOREIGN = [/\/work\//, /\/tmp\//, /\/root\b/, /\/Users\//, /https?:\/\/registry\./, /npmjs\.(org|com)/];

const tokensIn = (text) => countTokens(text, { disallowedSpecial: new Set() });

export function checkSession(lines) {
  const faults = [];
  const [meta, ...messages] = lines.map((line) => JSON.parse(line));
  if (meta.kind !== 'meta') faults.push('the first line is no meta line');

  for (const [index, line] of lines.entries()) {
    for (const pattern of FOREIGN) if (pattern.test(line)) faults.push(`line ${index + 1} shows ${pattern}`);
    if (homedir().length > 1 && line.includes(homedir()))
      faults.push(`line ${index + 1} shows a home folder`);
  }

  let waiting = [];
  messages.forEach((message, index) => {
    if (message.role === 'tool') {
      if (message.tool_call_id !== waiting.shift())
        faults.push(`message ${index} answers no call, or out of order`);
      return;
    }
    if (waiting.length > 0) faults.push(`message ${index} comes before ${waiting.length} results`);
    waiting = (message.tool_calls ?? []).map((call) => call.id);
    for (const call of message.tool_calls ?? []) JSON.parse(call.function.arguments);
  });
  if (waiting.length > 0) faults.push('the last calls have no results');

  const figures = figuresOf(messages);
  if (figures.tokens < LEAST_TOKENS) faults.push(`${figures.tokens} tokens, fewer than ${LEAST_TOKENS}`);
  if (figures.parallel < LEAST_PARALLEL) faults.push(`${figures.parallel} messages with parallel calls`);
  if (figures.largestResult < LEAST_HUGE_TOKENS)
    faults.push(`the largest result has ${figures.largestResult} tokens`);
  return { faults, figures };
}

/** Tokens are o200k_base over contents, call names and arguments, without a provider's overhead per message. */
function figuresOf(messages) {
  const calls = messages.flatMap((message) => message.tool_calls ?? []);
  const results = messages.filter((message) => message.role === 'tool');
  const count = (texts) => texts.reduce((sum, text) => sum + tokensIn(text), 0);
  return {
    messages: messages.length,
    tokens:
      count(messages.map((message) => message.content)) +
      count(calls.map((call) => call.function.name + call.function.arguments)),
    users: messages.filter((message) => message.role === 'user').length,
    calls: calls.length,
    parallel: messages.filter((message) => (message.tool_calls?.length ?? 0) > 1).length,
    resultTokens: count(results.map((message) => message.content)),
    largestResult: Math.max(...results.map((message) => tokensIn(message.content))),
  };
}
