import { describe, expect, it } from '@jest/globals';
import { reportIn } from '../../../../src/text/reading/reports.js';

const report =
  'Two findings. The cache drops entries whose key holds a colon, and the retry loop never ends when the server answers 503.';

describe('what other agents report', () => {
  it.each(['Task', 'agent', 'Agent', 'dispatch_agent', 'wait_agent', 'runSubagent', 'AgentOutputTool'])(
    'stands as prose in the output of %s',
    (tool) => expect(reportIn(tool, report)).toBe(report),
  );

  it('stands within a record on several agents', () => {
    const record = {
      agents: [
        { agent_name: '/root', agent_status: 'running' },
        { agent_name: '/root/review', agent_status: { completed: report } },
        { agent_name: '/root/audit', agent_status: { completed: `Audited. ${report}` } },
      ],
    };
    expect(reportIn('list_agents', JSON.stringify(record))).toBe(`${report}\n\nAudited. ${report}`);
  });

  it.each([
    ['a tool of another kind', 'read_file', report],
    ['a tool whose name only sounds like it', 'reagent_table', report],
    ['a record without prose', 'wait_agent', '{"message":"Wait timed out.","timed_out":true}'],
    ['code', 'Agent', 'const a = (b) => { return b(); };\n'.repeat(20)],
    ['a document', 'Agent', `${report}\n`.repeat(1_000)],
  ])('is nothing in %s', (_, tool, output) => expect(reportIn(tool, output)).toBe(''));

  it('is read in records as deep as a list of agents, and in no deeper ones', () => {
    const nested = (depth: number): string => '['.repeat(depth) + JSON.stringify(report) + ']'.repeat(depth);
    expect(reportIn('list_agents', nested(5))).toBe(report);
    expect(reportIn('list_agents', nested(20_000))).toBe('');
  });
});
