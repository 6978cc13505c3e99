// Licences of the packages in the bundles: they require that every copy includes them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dist, root } from './options.mjs';

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

export function writeLicenses(metafiles) {
  const folders = new Set(['node_modules/gpt-tokenizer', 'node_modules/uplot']);
  for (const input of metafiles.flatMap(({ inputs }) => Object.keys(inputs))) {
    const folder = PACKAGE.exec(input)?.[1];
    if (folder) folders.add(folder);
  }
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
    const text =
      file && existsSync(join(root, folder, file))
        ? readFileSync(join(root, folder, file), 'utf8').trim()
        : '';
    return `${name} ${version} (${license})\n\n${text}`.trim();
  });
  const head = 'The files in this folder contain parts of these packages.';
  writeFileSync(
    join(dist, 'THIRD-PARTY-LICENSES.txt'),
    `${[head, ...texts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`,
  );
}
