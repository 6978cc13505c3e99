import type { Session } from '../session/index.js';

/** Conversations beside that of a session which are remembered; the one asked least recently goes first. */
const MOST_ASIDES = 8;

/** Newest first. */
const asides = new WeakMap<Session, readonly Session[]>();

/**
 * The session itself, or where the body holds another conversation (a title that is to be found, a side question, a new
 * chat through the same client) one beside it, which lives as long as the process. The session is left as it was.
 */
export async function pathOf(session: Session, body: unknown): Promise<Session> {
  if (!(await session.isStranger(body))) return session;
  const known = asides.get(session) ?? [];
  let path: Session | undefined;
  for (const aside of known) if (!path && !(await aside.isStranger(body))) path = aside;
  path ??= session.aside();
  // Read again: another request may have made one meanwhile.
  const others = (asides.get(session) ?? []).filter((one) => one !== path);
  asides.set(session, [path, ...others].slice(0, MOST_ASIDES));
  return path;
}
