/** What the reader of the page sets. */
export interface Setting {
  /** Budget of each request, in tokens. */
  readonly budget: number;
  /** By stage: the pressure at which it opens, 0 to 1. */
  readonly opensAt: Readonly<Record<string, number>>;
}

/** A session that was opened. */
export interface Opened {
  readonly format: string;
  readonly messages: number;
  /** What could not be read of it. */
  readonly notices: readonly string[];
}

/** A message, as far as the page shows it. */
export interface Said {
  readonly id: string;
  readonly role: string;
  readonly words: string;
  readonly tokens: number;
}

/** Messages of the log beside what a request holds of them. */
export interface Band {
  readonly status: 'kept' | 'pinned' | 'replaced' | 'left';
  readonly log: readonly Said[];
  /** Messages of the log between the first and the last of these, and their tokens. */
  readonly between?: { readonly messages: number; readonly tokens: number };
  /** Empty where they are sent as they are, and where nothing stands for them. */
  readonly sent: readonly Said[];
  readonly by?: { readonly stage: string; readonly reason: string };
}

/** A passage that a question brings back. */
export interface Passage {
  readonly handle: string;
  readonly role: string;
  readonly about?: string;
  readonly place: number;
  readonly words: string;
}
