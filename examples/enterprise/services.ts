import type { ServiceIdentifier } from 'inversify';

/** What Acme knows of its tools, from the same table as its access rules. */
export interface ToolClasses {
  /** Tools whose answers may stand in a request only while they are worked on. */
  readonly restricted: readonly string[];
  /** Tools that are asked for a state: of each subject only the newest answer is true. */
  readonly states: readonly string[];
}

/** Where every write to a session is told. */
export interface AuditSink {
  wrote(entry: { readonly session: string; readonly messages: number; readonly entries: number }): void;
}

/** Acme's own services, beside Spillway's. */
export const ACME = {
  ToolClasses: Symbol.for('acme.ToolClasses') as ServiceIdentifier<ToolClasses>,
  AuditSink: Symbol.for('acme.AuditSink') as ServiceIdentifier<AuditSink>,
} as const;
