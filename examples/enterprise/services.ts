import type { ServiceIdentifier } from 'inversify';

/** Acme's classes of tools, from the same table as its access rules. */
export interface ToolClasses {
  /** Tools whose answers may be in a request only during the turn that works on them. */
  readonly restricted: readonly string[];
  /** Tools that report a state: only the newest answer about each subject is true. */
  readonly states: readonly string[];
}

/** Receives every write to a session. */
export interface AuditSink {
  wrote(entry: { readonly session: string; readonly messages: number; readonly entries: number }): void;
}

/** Acme's own services, in addition to Spillway's. */
export const ACME = {
  ToolClasses: Symbol.for('acme.ToolClasses') as ServiceIdentifier<ToolClasses>,
  AuditSink: Symbol.for('acme.AuditSink') as ServiceIdentifier<AuditSink>,
} as const;
