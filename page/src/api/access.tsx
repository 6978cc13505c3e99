import { createContext, use } from 'react';
import type { Me } from './types';

/** The person that the token names; undefined before the service has answered. */
const Who = createContext<Me | undefined>(undefined);
export const WhoProvider = Who.Provider;

export const useWho = (): Me | undefined => use(Who);

/** Viewers see everything and change nothing. The service enforces this too, independently of the page. */
export const useMayChange = (): boolean => use(Who)?.role === 'operator';

export const VIEWER_HINT = 'Your token lets you look. Changes need the role operator.';

/** Why settings cannot be changed here; undefined if they can. */
export function useSettingsHint(): string | undefined {
  const who = use(Who);
  if (who?.role !== 'operator') return VIEWER_HINT;
  return who.tenant === ''
    ? undefined
    : 'Your token lets you look: these settings apply to all tenants, and your token belongs to one.';
}
