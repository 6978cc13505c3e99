import type { Generated, Kysely, Transaction } from 'kysely';

/** The tables of both databases. Ids of people are written by `writeText`, keys by `keyOf`, bodies are JSON text. */
export interface Tables {
  readonly spillway_thread: {
    readonly id: Generated<number>;
    readonly session_key: string;
    readonly path_key: string;
    readonly session_id: string;
    readonly agent_path: string;
    readonly messages: number;
    readonly entries: number;
    readonly created_at: number;
    readonly updated_at: number;
  };
  /** Apart from the head, so that a write need not write it again. */
  readonly spillway_checkpoint: {
    readonly thread_id: number;
    readonly messages: number;
    readonly entries: number;
    readonly body: string;
  };
  readonly spillway_message: {
    readonly thread_id: number;
    readonly seq: number;
    readonly id_key: string;
    readonly body: string;
  };
  readonly spillway_entry: {
    readonly thread_id: number;
    readonly seq: number;
    readonly kind: string;
    readonly at: number;
    readonly body: string;
  };
  readonly spillway_event: {
    readonly id: Generated<number>;
    readonly thread_id: number;
    readonly kind: string;
    readonly ref_key: string | null;
    readonly at: number;
    /** The whole event. */
    readonly body: string;
  };
  readonly spillway_usage: {
    readonly thread_id: number;
    readonly line: string;
    readonly model: string;
    readonly calls: number;
    readonly input_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly output_tokens: number;
    readonly cost: number;
    readonly unpriced: number;
  };
  readonly spillway_artifact: { readonly key: string; readonly body: string };
  readonly spillway_value: {
    readonly scope_key: string;
    readonly name_key: string;
    readonly name: string;
    readonly body: string;
  };
  readonly spillway_migration: { readonly name: string };
}

export type Database = Kysely<Tables>;
export type Open = Transaction<Tables>;
