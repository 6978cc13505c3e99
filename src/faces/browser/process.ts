/** `node:process` where there is no Node: packages ask it where they are. */
export const cwd = (): string => '/';
export const env: Readonly<Record<string, string>> = {};
export const argv: readonly string[] = [];
export const versions: Readonly<Record<string, string>> = {};
export const platform = 'browser';
export const emitWarning = (): void => undefined;

export default { cwd, env, argv, versions, platform, emitWarning };
