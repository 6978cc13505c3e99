import type { Row } from '../row.js';

const host = 'Copilot CLI';

/** What the command line and the editor's chat put around a prompt. */
export const COPILOT: readonly Row[] = [
  {
    host,
    at: 'first',
    opens: 'The user explicitly invoked the "/',
    like: /^The user explicitly invoked the "\/[^"]{1,100}" skill\./,
    closes: 'line',
    speaker: 'program',
    label: 'skill',
    example: 'The user explicitly invoked the "/deploy" skill. Follow its instructions now.',
    counter: 'The user explicitly invoked the wrong endpoint, fix the docs.',
  },
  {
    host,
    tag: 'skill-context',
    speaker: 'instructions',
    sections: [{ speaker: 'user', opens: '\nARGUMENTS: ', last: true }],
    example:
      '<skill-context name="deploy">\n# Deploy\nNever skip the check.\nARGUMENTS: to staging\n</skill-context>',
    counter: 'Where is <skill-context> built?',
  },
  {
    host,
    tag: 'current_datetime',
    speaker: 'program',
    example: '<current_datetime>2026-01-01T00:00:00Z</current_datetime>',
    counter: 'Is <current_datetime> in UTC?',
  },
  {
    host,
    tag: 'reminder',
    first: true,
    speaker: 'program',
    example: '<reminder>There is no open task.</reminder>',
    counter: 'Style the <reminder> element like the others.',
  },
  {
    host,
    tag: 'system_notification',
    speaker: 'program',
    sealed: true,
    example: '<system_notification>\nA shell has finished.\n</system_notification>',
    counter: 'Is <system_notification> sent twice?',
  },
  {
    host,
    tag: 'system_reminder',
    speaker: 'program',
    example: '<system_reminder>\nThere is no open task.\n</system_reminder>',
    counter: 'Is <system_reminder> sent twice?',
  },
  {
    host,
    tag: 'userRequest',
    speaker: 'user',
    example: '<userRequest>\nRename the class.\n</userRequest>',
    counter: 'Is <userRequest> sent twice?',
  },
  {
    host,
    tag: 'environment_info',
    speaker: 'program',
    example: '<environment_info>\nThe system is Linux.\n</environment_info>',
    counter: 'Is <environment_info> sent twice?',
  },
  {
    host,
    tag: 'workspace_info',
    speaker: 'program',
    example: '<workspace_info>\nOne folder is open.\n</workspace_info>',
    counter: 'Is <workspace_info> sent twice?',
  },
  {
    host,
    tag: 'editorContext',
    speaker: 'program',
    example: '<editorContext>\nThe file is src/a.ts.\n</editorContext>',
    counter: 'Is <editorContext> sent twice?',
  },
  {
    host,
    tag: 'reminderInstructions',
    speaker: 'instructions',
    example: '<reminderInstructions>\nUse the edit tool.\n</reminderInstructions>',
    counter: 'Is <reminderInstructions> sent twice?',
  },
  {
    host,
    tag: 'conversation-summary',
    speaker: 'summary',
    sealed: true,
    example: '<conversation-summary>\nThe parser was split.\n</conversation-summary>',
    counter: 'Is <conversation-summary> sent twice?',
  },
];
