/** `node:url` where there is no Node: a path is that of the address. */
export const fileURLToPath = (url: string | URL): string => decodeURIComponent(new URL(url).pathname);
export const pathToFileURL = (path: string): URL => new URL(`file://${path}`);

export default { fileURLToPath, pathToFileURL };
