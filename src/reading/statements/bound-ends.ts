import { setsBound } from './bounds.js';

/** A longer sentence names no bound: it is a text. In characters. */
const LONGEST_CHARS = 320;

/** A permission, or the end of a duty, in so many words. */
const PERMITS =
  /(?<!\p{L})(?:you (?:may|can|are allowed to|have (?:my )?permission to)|feel free to|it['’]?s (?:ok|okay|fine|allowed) (?:to|now)|(?:ok|okay|fine) to|go ahead and|permission (?:granted )?to|i (?:now )?allow|no (?:longer|more) (?:forbidden|prohibited|needed|necessary|required|off limits)|no need to|(?:you )?(?:do not|don['’]?t) (?:need|have) to|(?:du|ihr) (?:darfst|dürft|kannst|könnt)|ist jetzt erlaubt|nicht mehr nötig|(?:ya )?puedes|se permite|(?:tu peux|vous pouvez)|plus besoin de|можно|можешь|разреш\p{L}+)(?!\p{L})|可以|允许|不用再|してよい|してもいい|해도 (?:돼|됩)/iu;
/** A duty that is none any more: the words behind it may hold the bound's own condition. */
const RELIEVES =
  /(?<!\p{L})(?:no need to|(?:do not|don['’]?t) (?:need|have) to|no (?:longer|more) (?:needed|necessary|required)|nicht mehr nötig|plus besoin de)(?!\p{L})/iu;
/**
 * A rule is called off by its name, in words that are said of what was said: a part of what it is about will do, where
 * nothing else describes it.
 */
const CALLS_OFF =
  /(?<!\p{L})(?:forget|scrap|lift|disregard|never mind|ignore|drop|cancel|remove) (?:my|our|your|that|this) (?:\p{L}{1,20} ){0,2}(?:rules?|bounds?|bans?|restrictions?|prohibitions?|instructions?)(?!\p{L})|(?<!\p{L})(?:forget|scrap|lift|disregard|never mind) (?:about )?(?:the (?:old |earlier |previous )?(?:rules?|bounds?|bans?|restrictions?|prohibitions?|instructions?)|what i said)(?!\p{L})|(?<!\p{L})(?:vergiss|streiche?) (?:die|meine) (?:regel|einschränkung)(?!\p{L})|(?<!\p{L})(?:oublie[rz]?|olvida) (?:la|ma|mi) (?:règle|contrainte|regla|restricción)(?!\p{L})|(?<!\p{L})(?:the|my|our|that|this) (?:rule|ban|restriction|prohibition) (?:[^\s,.;!?]{1,30} ){0,8}(?:no longer (?:applies|holds)|is (?:off|lifted|gone)|does(?: not|n['’]t) apply)/iu;
/** Words of code and of databases as well: the sentence must hold every word that the bound is about. */
const LIFTS =
  /(?<!\p{L})(?:forget|ignore|drop|scrap|cancel|lift|remove|disregard|ignora)(?!\p{L}).{0,160}(?<!\p{L})(?:rules?|bounds?|constraints?|restrictions?|requirements?|bans?|limits?)(?!\p{L})|(?<!\p{L})(?:constraint|limit|requirement)\b.{0,160}(?:no longer (?:applies|holds)|is (?:off|lifted|gone)|does(?: not|n['’]t) apply)/iu;
/** With such words a permission is one for the moment, or under conditions: the bound stands beside it. */
const LIMITED =
  /(?<!\p{L})(?:only|just|once|today|tonight|for now|this time|if|when|unless|until|till|after|before|except|but|not|never|temporarily|nur|heute|wenn|falls|diesmal|seulement|si|solo|hoy|только|сегодня|если)(?!\p{L})|[?？]|只|如果|今天|これだけ/giu;
/** A bound that says itself that it waits for a word. */
const PROVISIONAL =
  /(?<!\p{L})(?:yet|for now|until|unless|noch nicht|vorerst|bis|pas encore|todavía|пока)(?!\p{L})|暂时|先不/iu;
/** Words that may stand in an order to go on, beside what it is about. */
const GO =
  /^\W*(?:(?:ok(?:ay)?|looks? good(?: to me)?|fine|great|good|yes|alright|perfect|lgtm|alles klar|now|please|so|then|go ahead(?: and)?|you can(?: now)?|you may(?: now)?|it['’]s time to)[\s,.!:-]*)*/iu;

/** What a sentence is about, in stems: read once for all sentences that it is held against. */
export const aboutOf = (sentence: string): ReadonlySet<string> => stemsOf(sentence);

/**
 * Whether a later sentence of the user ends a bound; it is read once for all of them. Only one that names the bound does: a
 * permission, or a rule called off, that holds every word the bound is about and adds neither a condition nor anything
 * narrower. Where in doubt both stand.
 */
export function enderOf(newer: string): (bound: string, about: ReadonlySet<string>) => boolean {
  if (newer.length > LONGEST_CHARS) return () => false;
  const said = stemsOf(newer);
  const callsOff = CALLS_OFF.test(newer);
  const lifts = LIFTS.test(newer);
  const verbs = VERBS.find(({ tells }) => tells.test(newer))?.ends;
  const core = CORE.find(({ tells }) => tells.test(newer));
  return (bound, about) => {
    if (about.size === 0) return false;
    if (core) return coreOf(newer, core.words) === coreOf(bound, core.words);
    if (callsOff || lifts) return isCalledOff(said, callsOff, about);
    if (!verbs) return permits(newer, bound, about, stemsOf, said);
    const bare = (text: string): Set<string> => stemsOf(text, (word) => word.replace(verbs, ''));
    return permits(newer, bound, bare(bound), bare, bare(newer));
  };
}

/** Of what a bound is about this much, at least. */
const MUCH = 0.6;

/**
 * Whether a later sentence of the user may lift some of a bound that it does not end: a permission or an order that shares
 * most of what the bound is about. It is told beside the bound.
 */
export function bearsOn(newer: string): (about: ReadonlySet<string>) => boolean {
  const allows = PERMITS.test(newer) || CALLS_OFF.test(newer) || LIFTS.test(newer);
  if (newer.length > LONGEST_CHARS || (!allows && !ORDERS.test(newer))) return () => false;
  const said = stemsOf(newer);
  return (about) => {
    const shared = [...about].filter((stem) => said.has(stem)).length;
    return shared >= 2 && shared >= MUCH * about.size && (allows || isOrder(newer, about));
  };
}

/** `push the branch now`, `ok, push the branch`. */
const ORDERS = /\bnow\W{0,3}$|^\W{0,3}(?:ok(?:ay)?|yes|fine|alright|go ahead|please)\b/iu;

function isCalledOff(said: ReadonlySet<string>, isOfRule: boolean, about: ReadonlySet<string>): boolean {
  if (![...said].every((stem) => about.has(stem) || RULE_STEMS.has(stem))) return false;
  const isNamed = (stem: string): boolean => said.has(stem) && !(isOfRule && RULE_STEMS.has(stem));
  if (isOfRule) return [...about].some(isNamed);
  // “Remove the limit” is the very thing that “do not remove the limit” forbids.
  return [...about].every((stem) => isNamed(stem) && !RULE_STEMS.has(stem));
}

function permits(
  newer: string,
  bound: string,
  about: ReadonlySet<string>,
  stems: (text: string) => ReadonlySet<string>,
  said: ReadonlySet<string>,
): boolean {
  for (const stem of about) if (!said.has(stem)) return false;
  if (isLimited(newer, bound)) return false;
  const permissions = newer.split(/[,;.!。，；]\s*/).filter((clause) => PERMITS.test(clause));
  // “You may push to the branch” permits less than “do not push” forbids.
  if (permissions.length > 0)
    return permissions.every((clause) =>
      [...stems(clause.replace(PERMITS, ' '))].every((stem) => about.has(stem)),
    );
  // “Don't merge it yet” waits for just this: an order to do it, about it and nothing else.
  return PROVISIONAL.test(bound) && !setsBound(newer) && isOrder(newer, about) && said.size <= about.size + 1;
}

/** Whether a condition stands in a permission that did not stand in the bound itself. */
function isLimited(newer: string, bound: string): boolean {
  const isRelief = RELIEVES.test(newer);
  const rest = newer.replace(PERMITS, ' ');
  const own = isRelief ? bound.toLowerCase() : '';
  return [...rest.matchAll(LIMITED)].some(([word]) => !own.includes(word.toLowerCase()));
}

/** Told to go on, or told to do what the bound is about, and to do it now. */
function isOrder(newer: string, about: ReadonlySet<string>): boolean {
  if (newer.replace(GO, '').length < newer.length) return true;
  const verb = /^\W{0,3}([a-z]{2,20})(?: [^\s,.;!?]{1,30}){0,6} now(?:,? (?:please|pls))?\W{0,3}$/iu.exec(
    newer,
  )?.[1];
  return verb !== undefined && !/(?:s|ed|ing)$/i.test(verb) && about.has(stemOf(verb.toLowerCase()));
}

/** Endings of verbs in the languages in which a bound and a permission have different ones. */
const VERBS: readonly { readonly tells: RegExp; readonly ends: RegExp }[] = [
  {
    tells: /(?<!\p{L})(?:puedes|puede|se permite)(?!\p{L})/iu,
    ends: /(?<=\p{L}{3})(?:as|es|ar|er|ir|a|e)$/u,
  },
  { tells: /(?<!\p{L})(?:tu peux|vous pouvez)(?!\p{L})/iu, ends: /(?<=\p{L}{3})(?:er|ez|es|e|s|ir|re)$/u },
  {
    tells: /(?<!\p{L})(?:можно|можешь|разреш\p{L}{1,6})(?!\p{L})/iu,
    ends: /(?<=\p{L}{3})(?:овать|ывать|ивать|ать|ять|ить|еть|айте|яйте|ьте|ите|ай|яй|уй|ь|и)$/u,
  },
];

/** Scripts without spaces: a bound and its permission are the same but for the words that set and lift. */
const CORE: readonly { readonly tells: RegExp; readonly words: RegExp }[] = [
  {
    tells: /^(?=[^\n]{0,20}(?:可以|允许))[^\p{Script=Hiragana}\p{Script=Katakana}?？吗]{0,320}$/u,
    words:
      /你|请|先|现在|暂时|已经|可以|允许|不要|请勿|切勿|禁止|不许|不准|不得|不能|千万|绝对|永远|别|再|了|吧|[\s。，！!,.]/gu,
  },
  {
    tells: /て(?:も)?(?:いい|よい|良い|構いません|かまいません|大丈夫)/u,
    words:
      /(?:し)?(?:てもいい|てもよい|ても良い|ても構いません|てもかまいません|ても大丈夫|ていい)(?:です)?|(?:し)?(?:ないで|てはいけません|てはいけない)|ください|下さい|絶対に|もう|今は|今|まだ|[よね\s。、！!]/gu,
  },
];

function coreOf(text: string, words: RegExp): string {
  return text.toLowerCase().replace(words, '');
}

/** Function words, and the words by which bounds are set and lifted: what is left says what a sentence is about. */
const EMPTY = new Set(
  (
    'the a an of to in on at by for from with and or but nor so as is are be been it its this that these those them they you your we our us i me my he she his her ' +
    'do does did not no never always must may can could should shall would will need have has had please only just now yet then again ever any anymore more ok okay go ahead ' +
    'make sure ensure keep feel free want let lets fine good looks alright yes allowed permission unless until before without when if once what how all every each there here than also too up anything something everything nothing ' +
    'der die das den dem des ein eine einen und oder nicht nie niemals immer nur bitte noch jetzt du darfst kannst mehr zu in im am auf mit für von es wir ich mir ' +
    'le la les un une des du de et ou ne pas jamais toujours il faut que qui avec pour sur au à tu vous peux pouvez maintenant rien el los las una y o no nunca siempre que con para se ya puedes ahora nada ' +
    'не в на и с по из за ничего никогда пожалуйста теперь уже можно можешь больше пока'
  ).split(' '),
);
const RULE_STEMS = new Set(
  'forget ignore drop scrap cancel lift remove disregard rule bound constraint restriction requirement ban limit about said longer applies apply holds off lifted gone not'
    .split(' ')
    .map(stemOf),
);

function stemsOf(sentence: string, stem: (word: string) => string = stemOf): Set<string> {
  const stems = new Set<string>();
  for (const [word] of sentence
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}_][\p{L}\p{N}_./-]*[\p{L}\p{N}_]|[\p{L}\p{N}]/gu))
    if (!EMPTY.has(word) && !EMPTY.has(word.replace(/['’]/g, ''))) stems.add(stem(word));
  for (const short of ['don', 't', 's', 'll', 're', 've', 'm', 'd', 'dont']) stems.delete(short);
  return stems;
}

/** push, pushes, pushed, pushing: `push`. */
function stemOf(word: string): string {
  if (!/^[a-z]+$/.test(word) || word.length < 4) return word;
  const base = word.replace(/ies$/, 'y').replace(/(?:ing|ed|es|s|e)$/, '');
  return base.length < 3 ? word : base.replace(/(.)\1$/, '$1');
}
