import type { z } from 'zod/v4';
import type * as past from '../../../src/faces/operations/asking-shapes.js';
import type * as asked from '../../../src/faces/server/api/requests.js';
import type * as said from '../../../src/faces/operations/shapes.js';
import type * as transcript from '../../../src/transcript/index.js';

/**
 * Answers and requests of the service, inferred from its own schemas. Plans, records and messages are the library's
 * objects, which the API returns unchanged.
 */
export type Costs = z.infer<typeof said.Costs>;
export type CostLine = z.infer<typeof said.CostLine>;
export type NetCost = z.infer<typeof said.NetCost> & {
  readonly calls: number;
  readonly spentTokens: number;
  readonly paysAfterCalls?: number;
};
export type Reading = z.infer<typeof said.Reading> & { readonly derivation: readonly string[] };
export type SessionSummary = z.infer<typeof said.SessionSummary>;
export type ShownMessage = Omit<z.infer<typeof said.ShownMessage>, 'parts'> & {
  readonly parts: readonly Part[];
};
export type LogEntry = z.infer<typeof said.LogEntry>;
export type CallRecord = z.infer<typeof said.CallRecord> & {
  readonly record?: string;
  readonly messages: number;
  readonly replaced: number;
  readonly unchangedPrefixTokens: number;
  readonly appended: number;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
};
export type Effect = z.infer<typeof said.Effect> & Partial<Skipped>;
/** Part of each answer about all sessions. */
export interface Skipped {
  readonly skipped: z.infer<typeof said.Skipped>;
}
export type Finding = z.infer<typeof past.Finding>;
export type Recalled = z.infer<typeof past.Recalled> & {
  readonly about?: string;
  readonly place: number;
};
export type WordsGivenBack = z.infer<typeof past.WordsGivenBack>;
export type GivenBack = z.infer<typeof past.GivenBack>;
export type AuditEvent = z.infer<typeof past.AuditEvent> & {
  readonly body: Readonly<Record<string, unknown>>;
};
export type Knob = z.infer<typeof said.Knob>;
export type Knobs = z.infer<typeof said.Knobs>;
export type DryRun = z.infer<typeof said.DryRun> & {
  readonly plan?: Plan;
  readonly error?: { readonly message: string };
};
export type RunReport = z.infer<typeof said.RunReport> & {
  readonly record?: CompactionRecord;
  readonly plan?: Plan;
};
export type Fault = z.infer<typeof said.Fault>['error'];
export type RunOverrides = z.infer<typeof asked.RunOverrides>;
export type PlanChanges = z.infer<typeof said.PlanChanges>;
export type Flag = z.infer<typeof said.Flag>;

export type Plan = transcript.Plan;
export type PlannedEdit = transcript.PlannedEdit;
export type CompactionRecord = transcript.CompactionRecord;
/** A record as the list of compactions returns it: without its edits. */
export type CompactionSummary = Omit<CompactionRecord, 'plan'> & { readonly plan: Omit<Plan, 'edits'> };
export type Message = transcript.Message;
export type Part = transcript.Part;

export interface WaitingPlan {
  readonly sessionId: string;
  readonly agentPath: string;
  readonly at: number;
  readonly plan: Plan;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
  readonly total?: number;
}

/** Tokens; 0 is no limit. */
export interface StatedLimits {
  readonly contextWindow?: number;
  readonly inputLimit?: number;
  readonly outputLimit?: number;
}

export interface Models {
  readonly overrides: Readonly<Record<string, StatedLimits>>;
  readonly learned: readonly { readonly model: string; readonly proven?: StatedLimits }[];
}

export interface Stage {
  readonly name: string;
  readonly opensAt?: number;
  readonly summary: string;
}

export interface Me {
  readonly name: string;
  readonly role: 'client' | 'viewer' | 'operator';
  readonly tenant: string;
}

/** One agent of one session. */
export interface Place {
  readonly id: string;
  readonly agentPath: string;
}
