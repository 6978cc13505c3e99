import type { Notice } from '../../spi/index.js';
import { listIn, onlyOne } from '../faults.js';
import type { WholeImporter } from '../importer.js';
import { isFields, jsonText, type Fields } from '../../wire/index.js';
import { plainChat } from './plain.js';

/**
 * Simulations of tau2-bench, alone or in a result file, whose domain policy is then the system message. Calls that
 * the simulated user makes on a phone of its own are never seen by the agent and are left out.
 */
export const tau2Bench: WholeImporter = {
  name: 'tau2-bench',
  mark: 'its messages carry a `turn_idx`, as tau2-bench writes them',
  fits: (value) => simulationsIn(value).some(isSimulation),
  read: (value) => {
    const run = onlyOne('tau2-bench', simulationsIn(value), (one) =>
      isFields(one) ? one.id : one,
    ) as Fields;
    const messages = listIn('tau2-bench', run, 'messages');
    const notices: Notice[] = [];
    const policy = policyOf(value);
    const list = messages.filter(isFields).flatMap((message) => asChat(message));
    const left = list.filter((message) => message === undefined).length;
    if (left > 0) {
      const what = `${left} calls and results of the simulated user's own are left out`;
      notices.push({ at: 'file', kind: 'sidechain', what });
    }
    const system = policy === undefined ? [] : [{ role: 'system', content: policy }];
    const parsed = plainChat([...system, ...list.filter((message) => message !== undefined)]);
    return {
      parsed: { ...parsed, notices: [...notices, ...parsed.notices] },
      meta: { id: run.id, task: run.task_id },
    };
  },
};

function simulationsIn(value: unknown): readonly unknown[] {
  if (!isFields(value)) return [];
  return Array.isArray(value.simulations) ? value.simulations : [value];
}

function isSimulation(value: unknown): boolean {
  if (!isFields(value) || !Array.isArray(value.messages)) return false;
  const first: unknown = value.messages[0];
  return isFields(first) && 'turn_idx' in first;
}

function policyOf(value: unknown): string | undefined {
  const info = isFields(value) ? value.info : undefined;
  const environment = isFields(info) ? info.environment_info : undefined;
  const policy = isFields(environment) ? environment.policy : undefined;
  return typeof policy === 'string' ? policy : undefined;
}

/** In chat's shape; undefined stands for what the agent never saw. Several results may come as one message. */
function asChat(message: Fields): readonly (Fields | undefined)[] {
  const { role, content, tool_calls: calls } = message;
  if (role === 'tool') {
    const results = Array.isArray(message.tool_messages) ? message.tool_messages.filter(isFields) : [message];
    return results.map((one) =>
      one.requestor === 'user'
        ? undefined
        : { role: 'tool', tool_call_id: one.id, content: one.content ?? '' },
    );
  }
  const own = Array.isArray(calls) ? calls.filter(isFields) : [];
  const made = own.filter((call) => role === 'assistant' && call.requestor !== 'user');
  const out = { role, content: content ?? '', ...(made.length > 0 && { tool_calls: made.map(chatCall) }) };
  const silent = own.length > 0 && made.length === 0 && (content ?? '') === '';
  return silent ? own.map(() => undefined) : [out, ...own.slice(made.length).map(() => undefined)];
}

function chatCall({ id, name, arguments: args }: Fields): Fields {
  const text = typeof args === 'string' ? args : jsonText(args ?? {});
  return { id, type: 'function', function: { name, arguments: text } };
}
