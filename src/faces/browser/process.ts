/** `node:process` without Node, because packages ask for the platform and the folder that they run in. */
export const cwd = (): string => '/';
export const env: Readonly<Record<string, string>> = {};
export const argv: readonly string[] = [];
export const versions: Readonly<Record<string, string>> = {};
export const platform = 'browser';
export const emitWarning = (): void => undefined;

export default { cwd, env, argv, versions, platform, emitWarning };
