/** What numbers and times are written in: the browser's language, where it is one. */
export const LANGUAGE = isLanguage(navigator.language) ? navigator.language : 'en-US';

// Some systems give browsers a language that is none (`en-US@posix`). The charts ask for it by themselves, as they are loaded.
if (LANGUAGE !== navigator.language)
  Object.defineProperty(navigator, 'language', { value: LANGUAGE, configurable: true });

function isLanguage(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length > 0;
  } catch {
    return false;
  }
}
