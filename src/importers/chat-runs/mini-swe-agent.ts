import { listIn } from '../faults.js';
import type { WholeImporter } from '../importer.js';
import { isFields, type Fields } from '../../wire/index.js';
import { plainChat } from './plain.js';

/** Trajectories of mini-swe-agent: chat messages with the run's notes beside them. */
export const miniSweAgent: WholeImporter = {
  name: 'mini-swe-agent',
  mark: 'its `trajectory_format` is mini-swe-agent',
  fits: (value) =>
    isFields(value) &&
    Array.isArray(value.messages) &&
    typeof value.trajectory_format === 'string' &&
    value.trajectory_format.startsWith('mini-swe-agent'),
  read: (value) => {
    const messages = listIn('mini-swe-agent', value, 'messages');
    const { info, instance_id: id } = value as Fields;
    const config = isFields(info) && isFields(info.config) ? info.config : {};
    const model = isFields(config.model) ? config.model.model_name : undefined;
    const named = typeof model === 'string' ? { model } : {};
    const version = isFields(info) ? info.mini_version : undefined;
    return {
      parsed: { ...plainChat(messages), ...named },
      meta: { id, ...named, agent_version: version },
    };
  },
};
