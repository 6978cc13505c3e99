// Acme's module: npx tsx examples/enterprise/module.ts
import { pathToFileURL } from 'node:url';
import { ContainerModule } from 'inversify';
import type { ConfigSources, SessionStore } from 'spillway';
import { createContainer, openSpillway, SERVICES } from 'spillway/container';
import { openStore } from 'spillway';
import { auditedStore } from './audited-store.js';
import { GatewayCounter } from './gateway-counter.js';
import { ACME, type AuditSink, type ToolClasses } from './services.js';
import { AcmeLines } from './stages/acme-lines.js';
import { ForgetRestricted } from './stages/forget-restricted.js';
import { NewestState } from './stages/newest-state.js';

export const CLASSES: ToolClasses = {
  restricted: ['customer_record', 'secrets'],
  states: ['deployment_status', 'ticket'],
};

/** Services that the platform supplies to the module: the store of sessions, and the audit. */
export interface AcmePlatform {
  readonly store: SessionStore;
  readonly audit: AuditSink;
}

/** Replaces counter and store, and adds a replacement of `micro` and two more stages; the container makes each. */
export function contextPolicy({ store, audit }: AcmePlatform): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(ACME.ToolClasses).toConstantValue(CLASSES);
    bind(ACME.AuditSink).toConstantValue(audit);
    bind(SERVICES.TokenCounter).to(GatewayCounter).inSingletonScope();
    bind(SERVICES.Store)
      .toDynamicValue((context) => auditedStore(store, context.get(ACME.AuditSink)))
      .inSingletonScope();
    for (const stage of [ForgetRestricted, NewestState, AcmeLines])
      bind(SERVICES.Stage).to(stage).inSingletonScope();
  });
}

/** The order of the stages: Acme's own first, and `acme-lines` in the place of `micro`. */
export const ROSTER = [
  { stage: 'forget-restricted', opensAt: 0.7 },
  { stage: 'newest-state', opensAt: 0.75 },
  'snip',
  { stage: 'acme-lines', opensAt: 0.84 },
  'collapse',
  'auto',
  'partial',
  'full',
] satisfies NonNullable<ConfigSources['settings']>['roster'];

export async function openAcme(platform: AcmePlatform, settings: ConfigSources['settings'] = {}) {
  const container = createContainer();
  container.load(contextPolicy(platform));
  const spillway = await openSpillway(container, { settings: { roster: ROSTER, ...settings } });
  return { container, spillway };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const audit = { wrote: (entry: object) => console.log('audit:', JSON.stringify(entry)) };
  const { spillway } = await openAcme({ store: await openStore('memory:'), audit });
  for (const { name, opensAt } of spillway.stages)
    console.log(`${name} ${opensAt === undefined ? 'is off' : `opens at ${opensAt}`}`);
  const session = await spillway.open({ id: 'ticket-4711' });
  await session.append({
    id: 'u1',
    role: 'user',
    origin: 'user',
    parts: [{ type: 'text', text: 'Who owns ticket 4711?' }],
  });
  console.log(`${(await session.prepare()).reading.tokens} tokens by the gateway's count`);
  await spillway.close();
}
