import type { Speaker } from './speech.js';

/** What every row of the table says. */
interface Shape {
  /** Named as people name the program. */
  readonly host: string;
  readonly speaker: Speaker;
  readonly label?: string;
  /** Pieces inside that somebody else says, in their order. */
  readonly sections?: readonly Section[];
  /** A text of this shape, or the texts of one message; the tests read it. */
  readonly example: string | readonly [string, string];
  /** Looks like it and is the user's; the tests read it. */
  readonly counter: string;
}

/** A piece inside a block. */
export interface Section {
  readonly speaker: Speaker;
  readonly opens: string;
  /** Where it ends; without it, at the end of the block. */
  readonly closes?: string;
  /** Looked for from the end: what stands before may hold the same words. */
  readonly last?: true;
  /** The marks are tags and no words: they are left out. */
  readonly isTag?: true;
}

/** A block between `<tag …>` and `</tag>`. */
export interface TagRow extends Shape {
  readonly tag: string;
  /** Only as the first thing in a text: people write such tags too. */
  readonly first?: true;
  /** Holds foreign text that may imitate the closing tag: the last closing tag in the text ends it. */
  readonly sealed?: true;
}

/** A block that fixed words open. */
export interface PhraseRow extends Shape {
  /** `first`: nothing but blocks of programs stand before it in its text. `line`: at the start of any line. */
  readonly at: 'first' | 'line';
  /** The line that opens it begins so. */
  readonly opens: string;
  /** Further, the opening line must match this from its start on. The first 400 characters are looked at. */
  readonly like?: RegExp;
  /** Further, the text must hold this behind the opening. */
  readonly needs?: string;
  /** Further, the text before it, in the same message or at the end of the last one, must begin like this. The first 400 characters are looked at. */
  readonly after?: RegExp;
  /**
   * Further, where an agent's message or the system's stands before it, that must look like this: what a host says
   * here answers something. The last 2,000 characters are looked at.
   */
  readonly answers?: RegExp;
  /** Further, the text must end like this. The last 600 characters are looked at. */
  readonly ends?: RegExp;
  /**
   * `line`: the line alone. `paragraph`: to the next blank line. `text`: the rest of the text. Otherwise the words
   * that close it, themselves included.
   */
  readonly closes: 'line' | 'paragraph' | 'text' | { readonly words: string };
  /** The closing words may stand in a later part of the message. */
  readonly spansParts?: true;
  /** Who says the opening line, where it is not the speaker of the rest. */
  readonly frame?: Speaker;
  /** Lines at the end that tell the reader what to do begin so: a program says them. */
  readonly orders?: readonly string[];
}

export type Row = TagRow | PhraseRow;

/** Whether a row is told by a tag. */
export function isTagRow(row: Row): row is TagRow {
  return 'tag' in row;
}
