/** The language of numbers and times: the browser's, if its tag is valid; otherwise American English. */
export const LANGUAGE = isLanguage(navigator.language) ? navigator.language : 'en-US';

// Some systems give browsers an invalid tag (`en-US@posix`). The chart library reads the tag when it is loaded.
if (LANGUAGE !== navigator.language)
  Object.defineProperty(navigator, 'language', { value: LANGUAGE, configurable: true });

function isLanguage(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length > 0;
  } catch {
    return false;
  }
}
