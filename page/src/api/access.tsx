import { createContext, use } from 'react';
import type { Me } from './types';

/** Who looks at the page. */
const Who = createContext<Me | undefined>(undefined);
export const WhoProvider = Who.Provider;

export const useWho = (): Me | undefined => use(Who);

/** Viewers see everything and change nothing; the service holds to that whatever the page does. */
export const useMayChange = (): boolean => use(Who)?.role === 'operator';

export const VIEWER_HINT = 'Your token lets you look. Changing things needs the role operator.';

/** Why settings cannot be changed here; undefined where they can. */
export function useSettingsHint(): string | undefined {
  const who = use(Who);
  if (who?.role !== 'operator') return VIEWER_HINT;
  return who.tenant === ''
    ? undefined
    : 'Your token lets you look: these hold for all tenants, and it is for one.';
}
