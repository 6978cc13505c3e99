/** Programs by what they do, as far as a name tells it. What is in no list counts as unknown. */
const list = (names: string) => new Set(names.split(' '));

export const QUIET = list(
  'cd pushd popd set export unset true : sleep mkdir echo printf umask alias shopt ulimit',
);
/** Show a file as it is, whole or a part of it. */
export const READS = list('cat nl head tail more less bat batcat tac');
export const LOOKS = list(
  'ls tree grep egrep fgrep rgrep zgrep rg ag ack find fd fdfind locate wc stat file du df which type whereis whatis pwd env ' +
    'printenv date whoami id uname hostname ps sort uniq cut tr column diff cmp comm basename dirname realpath readlink ' +
    'md5sum sha1sum sha256sum cksum jq yq xxd od hexdump strings test [ awk gawk mawk paste join fold seq rev ' +
    'Get-ChildItem Get-Content Select-String dir',
);
export const GIT_LOOKS = list(
  'status log diff show ls-files ls-tree ls-remote rev-parse rev-list blame grep describe cat-file merge-base shortlog ' +
    'reflog diff-tree diff-index name-rev for-each-ref check-ignore show-ref whatchanged count-objects range-diff cherry',
);
/** Stand before a command and leave its meaning as it is; the number says how many words of their own follow. */
export const WRAPPERS = new Map([
  ['sudo', 0],
  ['time', 0],
  ['command', 0],
  ['builtin', 0],
  ['nohup', 0],
  ['env', 0],
  ['timeout', 1],
  ['exec', 0],
]);
