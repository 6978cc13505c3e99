/** Plays a story against the tools and returns it as chat messages. */
import { createHash } from 'node:crypto';
import { TOOLS } from './tools.mjs';

/**
 * Steps are `{role: 'system' | 'user', content}` or `{role: 'assistant', content, calls}`. Each call states how it must
 * end (`ok`) and what its result must contain; another result ends the recording.
 */
export function record(story, workspace, log) {
  const messages = [];
  let made = 0;
  for (const { role, content, calls = [] } of story) {
    if (calls.length === 0) {
      messages.push({ role, content });
      continue;
    }
    const ids = calls.map(() => callId(++made));
    const tool_calls = calls.map(({ tool, args }, i) => ({
      id: ids[i],
      type: 'function',
      function: { name: tool, arguments: JSON.stringify(args) },
    }));
    messages.push({ role, content, tool_calls });
    calls.forEach((call, i) => {
      log(`${messages.length} ${call.tool} ${JSON.stringify(call.args).slice(0, 110)}`);
      const { ok, text } = TOOLS[call.tool](call.args, workspace);
      const result = workspace.mask(text);
      judge(call, ok, result);
      messages.push({ role: 'tool', tool_call_id: ids[i], content: result });
    });
  }
  return messages;
}

function judge({ tool, args, ok, shows }, wasOk, result) {
  const missing = shows.filter((text) => !result.includes(text));
  if (wasOk === ok && missing.length === 0) return;
  const what = wasOk !== ok ? `should ${ok ? 'succeed' : 'fail'}` : `should show ${JSON.stringify(missing)}`;
  throw new Error(
    `${tool} ${JSON.stringify(args).slice(0, 300)}\n${what}; its output:\n${result.slice(0, 6000)}`,
  );
}

/** Ids that look like a provider's, but are the same in every recording. */
function callId(number) {
  const digest = createHash('sha256').update(`spillway recording, call ${number}`).digest('base64');
  return `call_${digest.replace(/\W/g, '').slice(0, 24)}`;
}
