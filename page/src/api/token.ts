/** The user's token. It is kept for this tab only, until the tab is closed. */
const KEY = 'spillway.token';

export const token = {
  read: (): string | null => sessionStorage.getItem(KEY),
  keep: (word: string): void => sessionStorage.setItem(KEY, word),
  forget: (): void => sessionStorage.removeItem(KEY),
};
