import { createHash, timingSafeEqual } from 'node:crypto';
import type { Settings } from '../../config/index.js';
import { SpillwayError, type Fault } from '../../errors/index.js';
import { denied } from './faults.js';

/** What a token allows: the proxy alone; reading as well; everything. Each holds what the one before it does. */
export const ROLES = ['client', 'viewer', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Who asks. */
export interface Caller {
  readonly name: string;
  readonly role: Role;
  /** Whose sessions it makes; '' where they are nobody's in particular. */
  readonly tenant: string;
}

/** Whoever is on this machine, where no tokens are set. */
const LOCAL: Caller = { name: 'local', role: 'operator', tenant: '' };

/** Shorter ones can be guessed. */
const LEAST_CHARS = 16;

/** Tells callers by their tokens. Of a token only its digest is kept. */
export class Access {
  readonly #known: readonly { readonly digest: Buffer; readonly caller: Caller }[];

  /** Throws `CONFIG_INVALID`, naming every token that is missing, too short, or of another role or tenant too. */
  constructor(tokens: Settings['server']['tokens'], env: Readonly<Record<string, string | undefined>>) {
    const faults: Fault[] = [];
    const rights = new Map<string, string>();
    this.#known = tokens.map(({ name, role, tokenEnv, tenant = '' }) => {
      const token = env[tokenEnv] ?? '';
      const right = `${role} ${tenant}`;
      const isShared = (rights.get(token) ?? right) !== right;
      rights.set(token, right);
      if (token.length < LEAST_CHARS || isShared)
        faults.push({
          subject: `token ${name} of the service`,
          found: token === '' ? `no variable ${tokenEnv}` : `${token.length} characters in ${tokenEnv}`,
          allowed: `${LEAST_CHARS} characters or more, and those of no other role or tenant`,
          remedy: 'Put a long random word there: openssl rand -hex 32.',
        });
      return { digest: digestOf(token), caller: { name, role, tenant } };
    });
    if (faults.length > 0) throw new SpillwayError('CONFIG_INVALID', { ...faults[0]!, faults });
  }

  get isOpen(): boolean {
    return this.#known.length === 0;
  }

  /** Undefined where nobody has that token. Takes as long for every wrong one. */
  callerOf(token: string | undefined): Caller | undefined {
    if (this.isOpen) return LOCAL;
    const digest = digestOf(token ?? '');
    let found: Caller | undefined;
    for (const known of this.#known) if (timingSafeEqual(known.digest, digest)) found ??= known.caller;
    return token === undefined ? undefined : found;
  }
}

export const mayAct = ({ role }: Caller, needed: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** Throws `ACCESS_DENIED` where a caller may act for one tenant alone: what he asks for holds for all of them. */
export function checkMayActForAll({ name, tenant }: Caller): void {
  if (tenant === '') return;
  const remedy = 'Settings, limits of models and metrics hold for all tenants: ask with a token of none.';
  throw denied(`token ${name}`, `the tenant ${tenant}`, remedy);
}

/** Whether a session is one that the caller may see. */
export const maySee = ({ tenant }: Caller, sessionId: string): boolean =>
  tenant === '' || sessionId.startsWith(`${tenant}:`);

/** What a client may call its session; dots alone are no name: in an address they mean the folder, and the one above it. */
export const SESSION_NAME = /^(?!\.{1,2}$)[\w.-]{1,128}$/;

/** The name that a caller means, who may also say it as our answers do: behind his tenant, and encoded as a header needs it. */
export function nameIn({ tenant }: Pick<Caller, 'tenant'>, said: string): string {
  const before = tenant === '' ? [] : [`${tenant}:`, `${tenant}%3A`];
  return said.slice(before.find((one) => said.startsWith(one))?.length ?? 0);
}

/** The id under which a session of the caller is kept. */
export const ownId = ({ tenant }: Pick<Caller, 'tenant'>, name: string): string =>
  tenant === '' ? name : `${tenant}:${name}`;

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
