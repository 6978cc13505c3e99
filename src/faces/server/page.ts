import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { packageFolder } from '../../package-folder.js';
import { faultBody } from './faults.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The names of built files contain a digest of their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

const builtFolder = (): string => join(packageFolder(), 'dist', 'page');

/**
 * Serves the Compactor page at `/`. Its few files are read once: only built files have an address, so no path can reach
 * another file. The page contains no figures; it requests them from the API with the token of its viewer.
 */
export function registerPage(app: FastifyInstance, folder = builtFolder()): void {
  const config = { schema: { hide: true } };
  const index = fileAt(join(folder, 'index.html'));
  app.get('/', config, (_, reply) => {
    if (!index) return reply.code(404).send(faultBody('HTTP_404', 'The page is not built: npm run build.'));
    return reply.type(TYPES['.html']!).header('cache-control', 'no-cache').serializer(asIs).send(index);
  });
  for (const name of namesIn(join(folder, 'assets'))) {
    const type = TYPES[extname(name)];
    const content = type && fileAt(join(folder, 'assets', name));
    if (!type || !content) continue;
    app.get(`/assets/${name}`, config, (_, reply) =>
      reply.type(type).header('cache-control', IMMUTABLE).serializer(asIs).send(content),
    );
  }
}

const asIs = (content: unknown): string => content as string;

const fileAt = (path: string): Buffer | undefined => (existsSync(path) ? readFileSync(path) : undefined);
const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);
