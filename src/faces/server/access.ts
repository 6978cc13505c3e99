import { createHash, timingSafeEqual } from 'node:crypto';
import type { Settings } from '../../config/index.js';
import { SpillwayError, type Fault } from '../../errors/index.js';
import { denied } from './faults.js';

/** The rights of a token: the proxy alone; reading as well; everything. Each role includes the one before. */
export const ROLES = ['client', 'viewer', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** The caller of a request. */
export interface Caller {
  readonly name: string;
  readonly role: Role;
  /** The tenant of the sessions that the caller makes; '' if the token has no tenant. */
  readonly tenant: string;
}

/** The caller on this machine if no tokens are set. */
const LOCAL: Caller = { name: 'local', role: 'operator', tenant: '' };

/** Shorter tokens can be guessed. */
const MIN_CHARS = 16;

/** Identifies callers by their tokens. Keeps only the digest of a token. */
export class Access {
  readonly #known: readonly { readonly digest: Buffer; readonly caller: Caller }[];

  /** Throws `CONFIG_INVALID` with every token that is missing, too short, or equal to one of another role or tenant. */
  constructor(tokens: Settings['server']['tokens'], env: Readonly<Record<string, string | undefined>>) {
    const faults: Fault[] = [];
    const rights = new Map<string, string>();
    this.#known = tokens.map(({ name, role, tokenEnv, tenant = '' }) => {
      const token = env[tokenEnv] ?? '';
      const right = `${role} ${tenant}`;
      const isShared = (rights.get(token) ?? right) !== right;
      rights.set(token, right);
      if (token.length < MIN_CHARS || isShared)
        faults.push({
          subject: `token ${name} of the service`,
          found: token === '' ? `no variable ${tokenEnv}` : `${token.length} characters in ${tokenEnv}`,
          allowed: `${MIN_CHARS} characters or more, and those of no other role or tenant`,
          remedy: 'Put a long random word there: openssl rand -hex 32.',
        });
      return { digest: digestOf(token), caller: { name, role, tenant } };
    });
    if (faults.length > 0) throw new SpillwayError('CONFIG_INVALID', { ...faults[0]!, faults });
  }

  get isOpen(): boolean {
    return this.#known.length === 0;
  }

  /** Undefined if no caller has that token. Takes the same time for every wrong token. */
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

/** Throws `ACCESS_DENIED` if the caller belongs to one tenant, because the request affects all tenants. */
export function checkMayActForAll({ name, tenant }: Caller): void {
  if (tenant === '') return;
  const remedy = 'Settings, limits of models and metrics hold for all tenants: ask with a token of none.';
  throw denied(`token ${name}`, `the tenant ${tenant}`, remedy);
}

/** Whether the caller may see a session. */
export const maySee = ({ tenant }: Caller, sessionId: string): boolean =>
  tenant === '' || sessionId.startsWith(`${tenant}:`);

/** Names that a client may give its session. Dots alone are no name: in an address, `.` and `..` mean folders. */
export const SESSION_NAME = /^(?!\.{1,2}$)[\w.-]{1,128}$/;

/** The name in a caller's request. The caller may write it as our answers do, with the tenant before it and encoded. */
export function sessionNameIn({ tenant }: Pick<Caller, 'tenant'>, text: string): string {
  const before = tenant === '' ? [] : [`${tenant}:`, `${tenant}%3A`];
  return text.slice(before.find((one) => text.startsWith(one))?.length ?? 0);
}

/** The id under which the store keeps a session of the caller. */
export const ownId = ({ tenant }: Pick<Caller, 'tenant'>, name: string): string =>
  tenant === '' ? name : `${tenant}:${name}`;

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Whether only this machine reaches the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
