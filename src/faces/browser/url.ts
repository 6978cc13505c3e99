/** `node:url` without Node: a file's path is the path of its URL. */
export const fileURLToPath = (url: string | URL): string => decodeURIComponent(new URL(url).pathname);
export const pathToFileURL = (path: string): URL => new URL(`file://${path}`);

export default { fileURLToPath, pathToFileURL };
