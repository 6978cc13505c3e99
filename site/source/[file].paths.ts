// Files of the repository that pages link to, each shown on a page of its own.
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { linkedSources, root } from '../.vitepress/repository.js';

const LANGUAGES: Readonly<Record<string, string>> = {
  '.json': 'json',
  '.mjs': 'js',
  '.ts': 'ts',
  '.yaml': 'yaml',
};

export default {
  paths: () =>
    linkedSources().map((file) => {
      const language = LANGUAGES[extname(file)] ?? 'txt';
      return {
        params: { file },
        content: `# ${file}\n\n~~~~${language}\n${readFileSync(join(root, file), 'utf8')}~~~~`,
      };
    }),
};
