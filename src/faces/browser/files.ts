/** The files of `config/` that are read at run time, by their paths; the build puts them here (scripts/build/platform.mjs). */
export const FILES: Readonly<Record<string, string>> = {};
