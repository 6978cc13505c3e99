import { setsBound } from './bounds.js';

/** A longer sentence names no bound: it is a text. In characters. */
const LONGEST_CHARS = 320;

/** A permission, or the end of a duty, in so many words. */
const PERMITS =
  /(?<!\p{L})(?:you (?:may|can|are allowed to|have (?:my )?permission to)|feel free to|it['’]?s (?:ok|okay|fine|allowed) (?:to|now)|(?:ok|okay|fine) to|go ahead and|permission (?:granted )?to|i (?:now )?allow|no (?:longer|more) (?:forbidden|prohibited|needed|necessary|required|off limits)|no need to|(?:you )?(?:do not|don['’]?t) (?:need|have) to|(?:du|ihr) (?:darfst|dürft|kannst|könnt)|ist jetzt erlaubt|nicht mehr nötig|(?:ya )?puedes|se permite|(?:tu peux|vous pouvez)|plus besoin de|можно|можешь|разреш\p{L}+)(?!\p{L})|可以|允许|不用再|してよい|してもいい|해도 (?:돼|됩)/iu;
/** A rule is called off by its name. */
const RESCINDS =
  /(?<!\p{L})(?:forget|ignore|drop|scrap|cancel|lift|remove|disregard|vergiss|streiche?|oublie[rz]?|olvida|ignora)(?!\p{L}).{0,160}(?<!\p{L})(?:rules?|bounds?|constraints?|restrictions?|requirements?|bans?|limits?|what i said|regel|einschränkung|règle|contrainte|regla|restricción)(?!\p{L})|(?<!\p{L})(?:rule|ban|restriction|constraint|limit|requirement)\b.{0,160}(?:no longer (?:applies|holds)|is (?:off|lifted|gone)|does(?: not|n['’]t) apply)|忘(?:掉|记).{0,160}规则|取消.{0,160}(?:限制|规则)/iu;
/** With such words a permission is one for the moment, or under conditions: the bound stands beside it. */
const LIMITED =
  /(?<!\p{L})(?:only|just|once|today|tonight|for now|this time|if|when|unless|until|till|after|before|except|but|not|never|temporarily|nur|heute|wenn|falls|diesmal|seulement|si|solo|hoy|только|сегодня|если)(?!\p{L})|[?？]|只|如果|今天|これだけ/iu;
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
  const rescinds = RESCINDS.test(newer);
  return (bound, about) => ends(newer, said, rescinds, bound, about);
}

function ends(
  newer: string,
  said: ReadonlySet<string>,
  rescinds: boolean,
  bound: string,
  about: ReadonlySet<string>,
): boolean {
  if (about.size === 0) return false;
  if (rescinds)
    return (
      [...said].some((stem) => about.has(stem)) &&
      [...said].every((stem) => about.has(stem) || RULE_STEMS.has(stem))
    );
  for (const stem of about) if (!said.has(stem)) return false;
  if (LIMITED.test(newer.replace(PERMITS, ' '))) return false;
  const permissions = newer.split(/[,;.!。，；]\s*/).filter((clause) => PERMITS.test(clause));
  // “You may push to the branch” permits less than “do not push” forbids.
  if (permissions.length > 0)
    return permissions.every((clause) =>
      [...stemsOf(clause.replace(PERMITS, ' '))].every((stem) => about.has(stem)),
    );
  // “Don't merge it yet” waits for just this: an order to do it, about it and nothing else.
  return (
    PROVISIONAL.test(bound) &&
    !setsBound(newer) &&
    newer.replace(GO, '').length < newer.length &&
    said.size <= about.size + 1
  );
}

/** Function words, and the words by which bounds are set and lifted: what is left says what a sentence is about. */
const EMPTY = new Set(
  (
    'the a an of to in on at by for from with and or but nor so as is are be been it its this that these those them they you your we our us i me my he she his her ' +
    'do does did not no never always must may can could should shall would will need have has had please only just now yet then again ever any anymore more ok okay go ahead ' +
    'make sure ensure keep feel free want let lets fine good looks alright yes allowed permission unless until before without when if once what how all every each there here than also too up anything something everything nothing ' +
    'der die das den dem des ein eine einen und oder nicht nie niemals immer nur bitte noch jetzt du darfst kannst mehr zu in im am auf mit für von es wir ich mir ' +
    'le la les un une des du de et ou ne pas jamais toujours il faut que qui avec pour el los las una y o no nunca siempre que con para se ya puedes'
  ).split(' '),
);
const RULE_STEMS = new Set(
  'forget ignore drop scrap cancel lift remove disregard rule bound constraint restriction requirement ban limit about said longer applies apply holds off lifted gone not'
    .split(' ')
    .map(stemOf),
);

function stemsOf(sentence: string): Set<string> {
  const stems = new Set<string>();
  for (const [word] of sentence
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}_][\p{L}\p{N}_./-]*[\p{L}\p{N}_]|[\p{L}\p{N}]/gu))
    if (!EMPTY.has(word) && !EMPTY.has(word.replace(/['’]/g, ''))) stems.add(stemOf(word));
  for (const short of ['don', 't', 's', 'll', 're', 've', 'm', 'd', 'dont']) stems.delete(short);
  return stems;
}

/** push, pushes, pushed, pushing: `push`. */
function stemOf(word: string): string {
  if (!/^[a-z]+$/.test(word) || word.length < 4) return word;
  const base = word.replace(/ies$/, 'y').replace(/(?:ing|ed|es|s|e)$/, '');
  return base.length < 3 ? word : base.replace(/(.)\1$/, '$1');
}
