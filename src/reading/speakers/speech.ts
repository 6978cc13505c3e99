/**
 * Who wrote a piece of a message.
 *
 * - `user`: the person's own words.
 * - `program`: reminders, environment blocks, notes of an interruption, output of hooks, wrappers of commands.
 * - `instructions`: skills, bodies of AGENTS.md and CLAUDE.md, bodies of slash commands, a benchmark's rules.
 * - `summary`: what a host wrote in place of messages that it removed.
 * - `agent`: the prompt or the report of another agent, in the user's place.
 * - `document`: a review, file, mail or log that the user pasted, where its structure shows it.
 * - `output`: what a tool printed, where it travels in the user's role.
 */
export type Speaker = 'user' | 'program' | 'instructions' | 'summary' | 'agent' | 'document' | 'output';

/** A piece of a message by one speaker. */
export interface Speech {
  readonly speaker: Speaker;
  /** Verbatim, without the tags around it and without blank lines at its ends. */
  readonly text: string;
  /** Names the shape: a skill's or command's name, a tag, `mail`, `review`. */
  readonly label?: string;
}
