/** The token of who looks at the page: for this tab alone, gone when it is closed. */
const KEY = 'spillway.token';

export const token = {
  read: (): string | null => sessionStorage.getItem(KEY),
  keep: (word: string): void => sessionStorage.setItem(KEY, word),
  forget: (): void => sessionStorage.removeItem(KEY),
};
