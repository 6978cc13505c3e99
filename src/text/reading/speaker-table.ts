/**
 * The author of a piece of a message.
 *
 * - `user`: the person's own words.
 * - `program`: reminders, environment blocks, notes of an interruption, output of hooks, wrappers of commands.
 * - `instructions`: skills, bodies of AGENTS.md and CLAUDE.md, bodies of slash commands, a benchmark's rules.
 * - `summary`: a host's text in place of messages that it removed.
 * - `agent`: the prompt or the report of another agent, in a user message.
 * - `document`: a file that a host put into the user's message, and text that the user pasted between fences.
 * - `output`: a tool's output in a message with the user's role.
 */
export type Speaker = 'user' | 'program' | 'instructions' | 'summary' | 'agent' | 'document' | 'output';

/** A piece of a block by another speaker. */
export interface Section {
  readonly speaker: Speaker;
  readonly opens: string;
  /** The end of the section; absent: the end of the block. */
  readonly closes?: string;
  /** Searched from the end, because earlier text may contain the same words. */
  readonly last?: true;
  /** The marks are tags, not text: they are left out. */
  readonly isTag?: true;
}

/** The fields of every row. */
interface Shape {
  /** The common name of the program. */
  readonly host: string;
  readonly speaker: Speaker;
  /** In their order. */
  readonly sections?: readonly Section[];
}

/** A block between `<tag …>` and `</tag>`. */
export interface TagRow extends Shape {
  readonly tag: string;
  /** Only at the start of a text: people write such tags too. */
  readonly first?: true;
  /** Contains foreign text that may imitate the closing tag: the last closing tag in the text ends the block. */
  readonly sealed?: true;
}

/** A block with a fixed opening; only blocks of programs precede it in its text. */
export interface PhraseRow extends Shape {
  readonly label: string;
  readonly opens: string;
  /** It may be at the start of any line. */
  readonly anywhere?: true;
  /** The opening line contains nothing else. */
  readonly alone?: true;
  /** The opening line must match this from its start. For this and for `after`, 400 characters are read. */
  readonly like?: RegExp;
  /** The text must contain this after the opening. */
  readonly needs?: string;
  /** The text before it, in the same message or at the end of the last one, must begin like this. */
  readonly after?: RegExp;
  /** An agent's or the system's message directly before it, if there is one, must match this. */
  readonly answers?: RegExp;
  /** The text must end like this. */
  readonly ends?: RegExp;
  /** Absent: with the text. `line`: the line. `paragraph`: at the next blank line. Otherwise after these words. */
  readonly closes?: 'line' | 'paragraph' | { readonly words: string };
  /** The closing words may be in a later part of the message. */
  readonly spansParts?: true;
  /** The speaker of the opening line, if it is another one than that of the rest. */
  readonly frame?: Speaker;
  /** Beginnings of the final lines that instruct the reader: their speaker is a program. */
  readonly orders?: readonly string[];
}

export type Row = TagRow | PhraseRow;

export const isTagRow = (row: Row): row is TagRow => 'tag' in row;

type More<R> = Partial<Omit<R, 'host' | 'speaker' | 'label'>>;

const tags = (host: string, speaker: Speaker, names: string, more: More<TagRow> = {}): Row[] =>
  names.split(' ').map((tag) => ({ host, tag, speaker, ...more }));
const phrase = (
  host: string,
  speaker: Speaker,
  label: string,
  opens: string,
  more: More<PhraseRow> = {},
): Row => ({ host, speaker, label, opens, ...more });

const SEALED = { sealed: true } as const;
const FIRST = { first: true } as const;
const ALONE = { alone: true } as const;
const LINE = { closes: 'line' } as const;
const between = (speaker: Speaker, tag: string): readonly Section[] => [
  { speaker, opens: `<${tag}>`, closes: `</${tag}>`, last: true, isTag: true },
];
const userAfter = (opens: string): readonly Section[] => [{ speaker: 'user', opens, last: true }];

/** The header of a Cline tool's result, on a line of its own or before the result. */
const RESULT = String.raw`(?: for '[^\n]{0,300}')?\] Result:\s*`;
const HEADER = new RegExp(`^\\[[a-z_]{2,40}${RESULT}$`);
const QUESTION = new RegExp(`^\\[(?:ask_followup_question|plan_mode_respond)${RESULT}(?:<answer>\\s*)?$`);
const PI_SHELL =
  /(?:\n```|\(no output\))(?:\n\n(?:\(command cancelled\)|Command exited with code \d+))?(?:\n\n\[Output truncated\.[^\]]*\])?\s*$/;
/** An agent that asks in plain text names its action, or shows a call in some form. */
const AGENT_ACTION = /(?:^|\n)[ \t*#]{0,8}(?:Thought|Action|Act|Tool|Command|Code|Input)\b|```|[<{]/i;
const CODEX_REQUEST = '\n## My request for Codex:';
const AFTER_SUMMARY = [
  'If you need specific details from before compaction',
  'Recent messages are preserved verbatim',
  'Please continue the conversation from where we left it off',
  'Continue the conversation from where it left off',
];
const OWN_HEADER =
  /^\[(?:Summary of \d+ earlier messages?, by|Digest of earlier messages) [^\]]{1,300}(?:\[…\][^\]]{0,200})?[;.] [^\]]{1,200}\]/;

/**
 * All known shapes, by host; of two that fit, the first wins. From recorded sessions and from the prompts that the
 * programs publish. A plain API client adds none. The tests have an example of each, and of texts that only look like
 * it.
 */
// prettier-ignore
export const ROWS: readonly Row[] = [
  // Our own texts, as clients send them back. Inside a user's text a header counts only up to the next blank line.
  ...['[Summary of ', '[Digest of earlier messages '].flatMap((opens) => [
    phrase('Spillway', 'summary', 'spillway', opens, { like: OWN_HEADER }),
    phrase('Spillway', 'summary', 'spillway', opens, { like: OWN_HEADER, anywhere: true, closes: 'paragraph' }),
  ]),
  phrase('Spillway', 'program', 'spillway', '[Earlier messages ', {
    ...LINE, anywhere: true, like: /^\[Earlier messages (?:compacted|left out so that the request fits); [^\]]{1,200}\]\s*$/,
  }),
  phrase('Spillway', 'program', 'spillway', '[The conversation so far follows.]', { ...ALONE, ...LINE, anywhere: true }),

  ...tags('Codex', 'program', 'environment_context recommended_plugins turn_aborted goal_context internal_model_context'),
  ...tags('Codex', 'program', 'hook_prompt', SEALED),
  ...tags('Codex', 'instructions', 'user_instructions'),
  ...tags('Codex', 'instructions', 'skill', FIRST),
  ...tags('Codex', 'output', 'user_shell_command', SEALED),
  ...tags('Codex', 'agent', 'subagent_notification', SEALED),
  phrase('Codex', 'instructions', 'AGENTS.md', '# AGENTS.md instructions', {
    needs: '<INSTRUCTIONS>', closes: { words: '</INSTRUCTIONS>' },
  }),
  phrase('Codex', 'summary', 'compaction', 'Another language model started to solve this problem and produced a summary', { frame: 'program' }),
  phrase('Codex', 'program', 'editor', '# Context from my IDE setup:', { needs: CODEX_REQUEST, sections: userAfter(CODEX_REQUEST) }),
  phrase('Codex', 'program', 'files', '# Files mentioned by the user:', { needs: CODEX_REQUEST, sections: userAfter(CODEX_REQUEST) }),

  phrase('OpenCode', 'agent', 'subtask', '[subtask ', {
    like: /^\[subtask \S.{0,300}\]\s*$/, sections: [{ speaker: 'user', opens: '\nInput: ', closes: '\n\n---' }],
  }),
  phrase('OpenCode', 'instructions', 'review', 'You are a code reviewer. Your job is to review code changes and provide actionable feedback.', {
    needs: '\nInput: ', sections: [{ speaker: 'user', opens: '\nInput: ', closes: '\n\n---' }],
  }),
  phrase('OpenCode', 'program', 'go on', 'Summarize the task tool output above and continue with your task.'),
  phrase('OpenCode', 'program', 'go on', 'Continue if you have next steps, or stop'),
  phrase('OpenCode', 'program', 'shell', 'The following tool was executed by the user', ALONE),
  phrase('OpenCode', 'program', 'compaction', 'What did we do so far?', { ...ALONE, ends: /What did we do so far\?\s*$/ }),
  phrase('OpenCode', 'program', 'attachment', 'Called the Read tool with the following input:'),

  ...tags('Copilot CLI', 'program', 'current_datetime system_reminder environment_info workspace_info editorContext'),
  ...tags('Copilot CLI', 'program', 'reminder', FIRST),
  ...tags('Copilot CLI', 'program', 'system_notification', SEALED),
  ...tags('Copilot CLI', 'user', 'userRequest'),
  ...tags('Copilot CLI', 'instructions', 'reminderInstructions'),
  ...tags('Copilot CLI', 'instructions', 'skill-context', { sections: userAfter('\nARGUMENTS: ') }),
  ...tags('Copilot CLI', 'summary', 'conversation-summary', SEALED),
  phrase('Copilot CLI', 'program', 'skill', 'The user explicitly invoked the "/', {
    ...LINE, like: /^The user explicitly invoked the "\/[^"]{1,100}" skill\./,
  }),

  ...tags('Gemini CLI', 'program', 'session_context'),
  ...tags('Gemini CLI', 'program', 'hook_context', SEALED),
  ...tags('Gemini CLI', 'summary', 'state_snapshot', SEALED),
  // Its forks use their own names: Qwen Code, iFlow.
  phrase('Gemini CLI', 'program', 'setup', 'This is ', {
    like: /^This is (?:the )?[A-Z][\w -]{1,40}\. We are setting up the context for our chat\./,
  }),
  phrase('Gemini CLI', 'document', 'files', '--- Content from referenced files ---', {
    ...ALONE, anywhere: true, closes: { words: '--- End of content ---' }, spansParts: true,
  }),
  phrase('Gemini CLI', 'program', 'go on', 'System: Please continue.', { ...ALONE, ...LINE }),

  phrase('pi', 'output', 'shell', 'Ran `', { like: /^Ran `[^\n]{1,400}$/, ends: PI_SHELL }),
  phrase('pi', 'program', 'compaction', 'The conversation history before this point was compacted into the following summary:', {
    needs: '<summary>', sections: between('summary', 'summary'),
  }),
  phrase('pi', 'program', 'branch', 'The following is a summary of a branch that this conversation came back from:', {
    needs: '<summary>', sections: between('summary', 'summary'),
  }),

  phrase('mini-swe-agent', 'instructions', 'task', '<pr_description>', {
    needs: '</pr_description>',
    sections: [{ speaker: 'user', opens: '<pr_description>', closes: '</pr_description>', isTag: true }],
  }),
  phrase('mini-swe-agent', 'instructions', 'task', 'Please solve this issue: ', {
    needs: '\n\nYou can execute bash commands',
    sections: [{ speaker: 'user', opens: 'Please solve this issue: ', closes: '\n\nYou can execute bash commands', last: true }],
  }),
  phrase('mini-swe-agent', 'output', 'observation', '<returncode>', { like: /^<returncode>-?\d+<\/returncode>/ }),
  phrase('mini-swe-agent', 'program', 'format', 'Tool call error:', { needs: '<error>' }),
  phrase('mini-swe-agent', 'program', 'format', 'Please always provide EXACTLY ONE action in triple backticks'),
  phrase('SWE-agent', 'instructions', 'task', "We're currently solving the following issue within our repository", {
    needs: '\nINSTRUCTIONS:\n', sections: [{ speaker: 'user', opens: '\nISSUE:\n', closes: '\nINSTRUCTIONS:\n' }],
  }),
  phrase('SWE-agent', 'output', 'observation', 'OBSERVATION:', ALONE),
  phrase('SWE-agent', 'output', 'observation', '', {
    ends: /\(Open file: [^\n]{0,1000}\)\n\(Current directory: [^\n]*\)\nbash-\$\s*$/,
  }),

  phrase('LangChain', 'summary', 'summarization', 'Here is a summary of the conversation to date:', { frame: 'program' }),
  phrase('ReAct', 'output', 'observation', 'Observation:', { answers: AGENT_ACTION }),

  phrase('Cline', 'output', 'question', '[', { like: QUESTION, needs: '<answer>', sections: between('user', 'answer') }),
  phrase('Cline', 'output', 'question', '<answer>', { after: QUESTION, sections: between('user', 'answer') }),
  phrase('Cline', 'output', 'refused', 'The user denied this operation and provided the following feedback:\n<feedback>', {
    after: HEADER, sections: between('user', 'feedback'),
  }),
  phrase('Cline', 'output', 'observation', '[', {
    like: /^\[(?:[a-z_]{2,40}\] Result:\s*$|(?:[a-z]{1,40}_[a-z_]{1,40}|[a-z_]{2,40} for '[^\n]{0,300}')\] Result:)/,
  }),
  // The header is a separate text before the tool's result.
  phrase('Cline', 'output', 'observation', '', { after: HEADER, like: /^(?!<environment_details>)/ }),
  ...tags('Cline', 'program', 'environment_details', SEALED),
  ...tags('Cline', 'user', 'task user_message feedback', FIRST),
  ...tags('Cline', 'instructions', 'explicit_instructions', SEALED),
  ...tags('Cline', 'document', 'file_content', SEALED),
  phrase('Cline', 'program', 'resumed', '[TASK RESUMPTION]', { sections: between('user', 'user_message') }),
  phrase('Cline', 'program', 'format', '[ERROR] You did not use a tool in your previous response!'),
  ...tags('Cursor', 'user', 'user_query'),
  ...tags('Cursor', 'program', 'timestamp', FIRST),
  ...tags('Cursor', 'program', 'open_and_recently_viewed_files'),
  ...tags('Cursor', 'document', 'attached_files', SEALED),
  ...tags('Cursor', 'instructions', 'manually_attached_skills', SEALED),

  ...tags('Claude Code', 'program', 'system-reminder command-name command-message local-command-caveat ide_opened_file'),
  ...tags('Claude Code', 'program', 'user-prompt-submit-hook ide_selection ide_diagnostics new-diagnostics', SEALED),
  ...tags('Claude Code', 'program', 'task-notification', { ...SEALED, sections: between('agent', 'result') }),
  ...tags('Claude Code', 'user', 'command-args user-memory-input'),
  ...tags('Claude Code', 'instructions', 'command-contents'),
  ...tags('Claude Code', 'output', 'bash-input'),
  ...tags('Claude Code', 'output', 'local-command-stdout local-command-stderr bash-stdout bash-stderr', SEALED),
  ...tags('Claude Code', 'agent', 'teammate-message cross-session-message', SEALED),
  phrase('Claude Code', 'program', 'caveat', 'Caveat: The messages below were generated by the user while running local commands'),
  phrase('Claude Code', 'program', 'interrupted', '[Request interrupted by user', {
    ...LINE, anywhere: true, like: /^\[Request interrupted by user(?: for tool use)?\]\s*$/,
  }),
  phrase('Claude Code', 'program', 'image', '[Image: ', {
    ...LINE, anywhere: true, like: /^\[Image: (?:source: |original )[^\]]{1,300}\]\s*$/,
  }),
  phrase('Claude Code', 'agent', 'session', 'Another Claude session sent a message:', ALONE),
  phrase('Claude Code', 'program', 'hook', 'Stop hook feedback:'),
  phrase('Claude Code', 'program', 'hook', 'SubagentStop hook feedback:'),
  phrase('Claude Code', 'summary', 'continuation', 'This session is being continued from a previous conversation', {
    like: /^This session is being continued from a previous conversation(?!,)/, frame: 'program', orders: AFTER_SUMMARY,
  }),
  phrase('Claude Code', 'document', 'plan', 'Implement the following plan:', {
    ...ALONE, needs: '\n#', frame: 'user', orders: ['If you need specific details from before exiting plan mode'],
  }),
  phrase('Claude Code', 'instructions', 'skill', 'Base directory for this skill:', { sections: userAfter('\n\nARGUMENTS: ') }),
  phrase('Claude Code', 'instructions', 'review', 'Review target: GitHub pull request `'),
  phrase('Claude Code', 'instructions', 'code-review', 'Run the workflow-backed code review at '),
  phrase('Claude Code', 'instructions', 'command', '', { needs: '\n\nARGUMENTS: ', sections: userAfter('\n\nARGUMENTS: ') }),
  // A command that prints puts its name first; a command that prompts, its message. Its body is the next text.
  phrase('Claude Code', 'instructions', 'command', '', {
    after: /^\s*<command-message>[^<]{1,200}<\/command-message>\s*<command-name>/, like: /^[^<]/,
  }),
];
