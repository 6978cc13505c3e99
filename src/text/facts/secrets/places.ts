import { list, QUOTE, WORD_START, type Shape } from './shape.js';

/** Programs whose `-u` is a user with a password, and programs whose `-p` is a password. */
const FETCHES = '(?<=(?:curl|wget)\\b[^\\n|;&]{0,200})';
const DATABASES = '(?<=(?:mysql|mysqldump|mysqladmin|mariadb)\\b[^\\n|;&]{0,200})';
/** Flags before a password, by program; for other programs the same letters are ports. */
const FLAG =
  '(?:' +
  [
    '(?<=sshpass(?: -[vV]){0,2}) -p ?',
    '(?<=(?:docker|podman|nerdctl|skopeo|buildah|az|oc|registry) login\\b[^\\n|;&]{0,80}) -p[ =]?',
    '(?<=(?:mongosh|mongo|mongodump|mongorestore|mongoexport|mongoimport)\\b[^\\n|;&]{0,80}) -p ',
    '(?<=redis-cli\\b[^\\n|;&]{0,80}) -a ',
    '(?<=htpasswd) -b[A-Za-z]{0,4} [^\\s-]\\S{0,100} \\S{1,64} ',
  ].join('|') +
  `)(?:${QUOTE})?`;
/** `echo … | sudo -S`, `sudo -S … <<< …`: the password of the user. */
const ECHO_TO_SUDO = `${WORD_START}echo (?:-n )?(?:${QUOTE})?(?=[^\\s"'|\\\\]{4,64}(?:${QUOTE})? {0,4}\\| {0,4}sudo (?:-\\w{1,8} ){0,3}-\\w{0,6}S\\b)`;
const SUDO_INPUT = `${WORD_START}sudo (?:-\\w{1,8} ){0,3}-\\w{0,6}S\\b[^\\n|;&<]{0,200}<<< ?(?:${QUOTE})?`;

/** Places of secrets in a protocol, a program or a page, for secrets of any form. */
export const PLACE_SHAPES: readonly Shape[] = [
  {
    kind: 'bearer token',
    begins: ['bearer'],
    pattern: new RegExp(`(${WORD_START}bearer\\s{1,4})[\\w.~+/-]{16,}={0,2}`, 'gi'),
  },
  {
    kind: 'password',
    begins: ['authorization'],
    pattern:
      /(authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|token|apikey|bot)\s{1,4})[\w+/.:-]{8,}={0,2}/gi,
  },
  {
    kind: 'cookie',
    begins: ['cookie'],
    pattern: /(cookie["']?\s{0,4}:\s{0,4}["']?)(?=[^\s=;"']{1,80}=[^\s;"']{8})[^\n\r"'\\]{8,}/gi,
  },
  // Up to the last `@` before a host: passwords may contain `@` and `/`. After a port comes a path.
  {
    kind: 'password',
    begins: ['://'],
    pattern:
      /(:\/\/[^\s:/@]{0,100}:)(?![$<{]|\d{1,5}[/?#])[^\s"'<>{}]{1,200}(?=@[\w.-]{1,100}(?::\d{1,5})?(?:[/?#\s"'<>,;)\\]|$))/g,
  },
  { kind: 'token', begins: ['://'], pattern: /(:\/\/)[\w~+-]{20,200}(?=@[\w.-]{1,100})/g },
  {
    kind: 'token',
    begins: list('access_token token api_key apikey key sig signature x-amz-signature').flatMap((name) => [
      `?${name}=`,
      `&${name}=`,
    ]),
    pattern: /([?&](?:access_token|token|api_?key|key|sig|signature|x-amz-signature)=)[\w%.~+/-]{16,}/gi,
  },
  {
    kind: 'password',
    begins: [' -u', ' --user'],
    pattern: new RegExp(`(${FETCHES} (?:-u|--user)[ =]?["']?[^\\s:"'@/]{1,64}:)[^\\s"']{4,100}`, 'g'),
  },
  {
    kind: 'password',
    begins: [' -p', ' -a', ' -b', 'echo ', 'sudo '],
    pattern: new RegExp(
      `(${DATABASES} -p(?=[^\\s"'-][^\\s"']{5})|${FLAG}|${ECHO_TO_SUDO}|${SUDO_INPUT})(?![-$<{%[])[^\\s"'|;&<>\\\\]{4,100}`,
      'g',
    ),
  },
  {
    kind: 'password',
    begins: ['identified by', 'identified with'],
    pattern: /(identified (?:with \w{1,40} )?by ["'])[^"'\n]{4,100}/gi,
  },
  {
    kind: 'password',
    begins: ['type="password', "type='password", 'type=\\"password'],
    pattern: new RegExp(
      `(type=${QUOTE}password${QUOTE}[^<>]{0,100}\\bvalue=${QUOTE})[^"'<>\\\\]{4,100}`,
      'gi',
    ),
  },
  // Docker's own configuration.
  {
    kind: 'password',
    begins: ['auth"', "auth'", 'auth\\'],
    pattern: new RegExp(
      `((?<=["'])auth${QUOTE}\\s{0,4}:\\s{0,4}${QUOTE})[\\w+/]{12,}={0,2}(?=${QUOTE})`,
      'g',
    ),
  },
];
