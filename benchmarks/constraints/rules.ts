/** Rules as users state them, of five kinds. Each session has its own wordings, which differ by `n`. */
export type Kind = 'prohibition' | 'obligation' | 'preference' | 'limit' | 'permission';

export const KINDS: readonly Kind[] = ['prohibition', 'obligation', 'preference', 'limit', 'permission'];

const WORDINGS: Readonly<Record<Kind, readonly ((n: string) => string)[]>> = {
  prohibition: [
    (n) => `Never write to the bucket ${n}-archive.`,
    (n) => `Do not rename anything in the folder ${n}/legacy.`,
    (n) => `The table ${n}_ledger is off limits.`,
    (n) => `Leave the vendored copy of ${n} alone.`,
    (n) => `Bitte niemals den Dienst ${n} neu starten.`,
  ],
  obligation: [
    (n) => `Always run the ${n} smoke suite before you call something finished.`,
    (n) => `Every public function of ${n} must have a doc comment.`,
    (n) => `Make sure that the changelog of ${n} names each change.`,
    (n) => `You must mention ticket ${n.toUpperCase()}-17 in each commit message.`,
    (n) => `Il faut toujours relire le fichier ${n}.yaml avant de conclure.`,
  ],
  preference: [
    (n) => `I prefer small pull requests for ${n}, one idea each.`,
    (n) => `From now on name the helper modules of ${n} in the singular.`,
    (n) => `Please use British spelling in the ${n} handbook.`,
    (n) => `Stick to the ${n} palette for all charts.`,
    (n) => `Prefiero que uses comillas simples en el módulo ${n}, siempre.`,
  ],
  limit: [
    (n) => `The ${n} index may hold at most 4096 entries.`,
    (n) => `Keep the ${n} bundle below 180 kB.`,
    (n) => `No more than 3 retries against the ${n} gateway.`,
    (n) => `Responses of ${n} must stay under 250 ms at the median.`,
    (n) => `${n} 的日志最多保留 14 天。`,
  ],
  permission: [
    (n) => `You may restart the ${n} sandbox without asking.`,
    (n) => `Ask me before you touch the ${n} billing code.`,
    (n) => `Only the ${n} maintainers may approve schema changes, so wait for them.`,
    (n) => `Feel free to delete temporary branches of ${n}, but only those.`,
    (n) => `Don't publish ${n} unless I have seen the notes.`,
  ],
};

/** A rule, and the different words that take it back. */
export const RETIRED: readonly (readonly [rule: (n: string) => string, word: (n: string) => string])[] = [
  [(n) => `Do not push the ${n} branch.`, (n) => `ok, push the ${n} branch now`],
  [
    (n) => `Please don't merge the ${n} request yet.`,
    (n) => `Looks good to me, go ahead and merge the ${n} request.`,
  ],
  [(n) => `Never touch the ${n} settings page.`, (n) => `You can edit the ${n} settings page now.`],
  [
    (n) => `Always format the ${n} sources with dprint.`,
    (n) => `No need to format the ${n} sources any more.`,
  ],
  [(n) => `Cap the ${n} cache at most 300 items.`, (n) => `Cap the ${n} cache at most 900 items.`],
  [(n) => `Use yarn for the ${n} workspace.`, (n) => `Use pnpm instead of yarn for the ${n} workspace.`],
  [(n) => `Bitte ${n} noch nicht deployen.`, (n) => `Alles klar, du kannst ${n} jetzt deployen.`],
];

const NAMES =
  'amber basalt cedar delta ember fjord garnet harbor indigo juniper kestrel lagoon marble nectar opal pewter quartz russet saffron tundra umber velvet willow xenon yarrow zephyr'.split(
    ' ',
  );

export function wording(kind: Kind, session: number, place: number): string {
  const choices = WORDINGS[kind];
  return choices[(session + place) % choices.length]!(nameOf(session, KINDS.indexOf(kind) * 5 + place));
}

/** A name that no session contains, different for each rule. */
export function nameOf(session: number, at: number): string {
  return `${NAMES[(session * 7 + at) % NAMES.length]!}${NAMES[(session + at * 3 + 11) % NAMES.length]!}`;
}
