/** `[search.go:350](https://…)`. */
const LINK = /\[([^[\]\n]{3,240})\]\(((?:https?:|\/|\[)[^()\n]{30,400})\)/g;

/** Where the label of a link names the thing, its address is read back by recall; of a file its end stays. */
export function withoutTargets(prose: string): string {
  if (!prose.includes('](')) return prose;
  return prose.replaceAll(LINK, (link, label: string, address: string) => {
    const target = address.startsWith('[') ? address.slice(1, -1) : address;
    return /[\d#./]/.test(label) || isFile(target) ? `[${label}](…${endOf(target, label)})` : link;
  });
}

const FOLDERS = 2;
const FILE = /\.\w{1,8}(?::\d{1,7}){0,2}$/;

/** A file of this machine, not a page. */
const isFile = (target: string): boolean => target.startsWith('/') && FILE.test(target);

/** Of the address of a file the folders, `/internal/sem/`, and its name where the label does not say it; '' elsewhere. */
function endOf(target: string, label: string): string {
  const segments = target.split(/[?#]/, 1)[0]!.split('/');
  const file = segments.pop()!;
  if (!FILE.test(file)) return '';
  // What stands before a commit says where it is served, not where it lies.
  const lead = segments.findLastIndex((segment) => segment === '' || /^[0-9a-f]{20,64}$/.test(segment));
  const folders = segments.slice(Math.max(lead + 1, segments.length - FOLDERS));
  const name = file.replace(/(?::\d{1,7}){1,2}$/, '');
  if (label.includes([...folders, name].join('/'))) return '';
  return ['', ...folders, label.includes(name) ? '' : file].join('/');
}
