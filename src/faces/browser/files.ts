/** The files of `config/` that are read at run time, by path; filled by the build (scripts/build/platform.mjs). */
export const FILES: Readonly<Record<string, string>> = {};
