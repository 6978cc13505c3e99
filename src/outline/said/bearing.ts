import { tells } from './telling.js';
import { ACTS_INSIDE, EMPTY_INSIDE, meaningOf } from './vocabulary.js';

/** What a sentence of a user asks, as far as words tell: which way, and about what. */
export interface Bearing {
  readonly forbids: boolean;
  /** Acts in one spelling, and everything else it names. */
  readonly acts: ReadonlySet<string>;
  readonly things: ReadonlySet<string>;
  readonly numbers: readonly string[];
  /** Sets a number as a bound: `at most 3`. */
  readonly limits: boolean;
  /** Named as what shall no longer be: `instead of npm`. */
  readonly dropped: ReadonlySet<string>;
  /** Lets go on: `ok`, `now`, `you may`. */
  readonly releases: boolean;
  /** Puts itself in the place of what was said: `actually`, `from now on`. */
  readonly replaces: boolean;
  /** Takes a rule back by name: `forget the rule about …`, `no need to …`. */
  readonly revokes: boolean;
  /** Holds however often it is met: `without asking me`, `unless I say so`. */
  readonly conditional: boolean;
  /** Asks for an answer, not for an act. */
  readonly asks: boolean;
  /** Tells of oneself or of others, and speaks to nobody: `it must have been fun`. */
  readonly tells: boolean;
}

const word = (words: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${words})(?![\\p{L}\\p{N}_-])`, 'iu');

const FORBIDS = word(
  "not|never|don[’']?t|mustn[’']?t|shouldn[’']?t|can[’']?t|cannot|won[’']?t|stop|avoid|refrain|forbidden|prohibited|off[- ]limits|hands off|stay away|" +
    'no|nicht|nie|niemals|keine?[nmrs]?|verboten|pas|jamais|interdit|nunca|jamás|prohibido|evita|não|non|mai|vietato|niet|nooit|geen|не|никогда|нельзя',
);
const LEAVES = /\bleave\b.{0,60}\b(?:alone|untouched|as (?:it|they) (?:is|are))\b/i;
const FORBIDS_ELSEWHERE =
  /不要|别|別|禁止|勿|不得|不能|不准|不可|ないで|てはいけ|ては(?:だめ|ダメ)|하지 ?마|지 ?말|금지/u;
/** Negations that ask for something all the same, or cheer. */
const DEMANDS =
  /\b(?:do not|don['’]?t|never) (?:forget|hesitate|worry|give up)\b(?: to)?|\b(?:can['’]?t|cannot) (?:wait|imagine|believe|help|say|thank)\b|\bnot only\b|^\s*no[,.!]\s/gi;
/** A ban that names nothing: its own words are no things. */
const BAN_WORDS = /\boff[- ]limits\b|\bhands[- ]off\b|\b(?:alone|untouched)\b/gi;
const RELEASES = word(
  'ok|okay|alright|now|go ahead|go for it|you (?:can|may)|feel free|allowed|fine|lifted|again|jetzt|nun|du (?:kannst|darfst)|maintenant|tu peux|vous pouvez|' +
    "d[’']accord|ahora|puedes|adelante|ya puedes|agora|pode|ora|puoi|nu|mag|теперь|можно|можешь",
);
const RELEASES_ELSEWHERE = /可以|现在|現在|好的|好了|吧|いいよ|いいです|どうぞ|今|이제|해도/u;
const REPLACES = word(
  'instead|actually|rather|from now on|from here on|going forward|changed my mind|change of plans?|make (?:that|it)|no longer|any ?more|correction|on second thought|' +
    'stattdessen|ab jetzt|doch lieber|plutôt|désormais|finalement|mejor|en cambio|a partir de ahora|вместо этого|лучше',
);
const REPLACES_ELSEWHERE = /改用|改成|改为|换成|今后|以后|代わりに|やっぱり|대신/u;
const REVOKES = word(
  'forget (?:about|what i said|the|that|my)|ignore (?:what i said|the rule|my|that rule|the .{1,40} rule)|disregard|scrap|drop the|lift(?:ed)?|waived?|never mind|' +
    "(?:no longer|doesn[’']?t|does not|don[’']?t) (?:applies|apply|holds?|matters?|stands?)|no need to|don[’']?t need to|do not need to|don[’']?t have to|stop|not .{1,40} any ?more|" +
    'vergiss|nicht mehr|brauchst nicht|oublie|plus besoin|ne .{1,30} plus|olvida|ya no|больше не|забудь',
);
const REVOKES_ELSEWHERE = /不用再?|不必|不再|忘了|忘れて|もう.{0,10}(?:なくて|いらない)|안 ?해도/u;
const CONDITIONAL = word('without|unless|except|ohne|außer|sans|sauf|sin|salvo|sem|senza|zonder|без|кроме');
const CONDITIONAL_ELSEWHERE = /除非|以外|なしに|없이/u;
const LIMITS = word(
  '(?:at most|at least|max(?:imum)?|min(?:imum)?|no more than|no fewer than|up to|limit(?:ed)?|below|under|within|less than|more than|fewer than|every|to|exactly|only|höchstens|mindestens|' +
    'maximal|au plus|au moins|como máximo|al menos|не более|не менее)(?: \\p{L}+){0,3} [\\d.,]+',
);
const LIMITS_ELSEWHERE = /(?:最多|至少|不超过)\s?\d|\d+\S{0,3}(?:以下|以上|以内|まで)/u;
const ASKS =
  /^(?:(?:so|and|but|ok|okay|hm+|well)[, ]+)*(?:did|do|does|have|has|had|is|are|was|were|why|what|how|when|where|who|which|should|shall|will|would it|warum|wieso|was|wie|hast|pourquoi|est-ce|qué|por qué|cómo)(?![\p{L}])/iu;
const DROPPED =
  /(?<!\b(?:do|does|did|am|is|are|was|were|be|been|has|have|had|can|could|should|will|would|must|may|might|shall|or|if|why|whether|['’](?:m|s|re|ve|d|ll)) )\b(?:instead of|rather than|not(?: with| in| to)?|over|statt|anstatt|nicht|au lieu de|pas|en (?:lugar|vez) de|(?<=[,;] ?)no)\s+((?:[\w./-]+\s?){1,3})/gi;

/** Linear in the sentence. What a sentence is about is read at once, which way it goes only when somebody asks. */
export function bearingOf(sentence: string): Bearing {
  const plain = sentence.replace(DEMANDS, ' ');
  return new LazyBearing(topicOf(plain), plain);
}

const isQuestion = (text: string): boolean => /[?？]\s*$/.test(text);

type Topic = Pick<Bearing, 'acts' | 'things' | 'numbers'>;
type Ways = { readonly [K in Exclude<keyof Bearing, keyof Topic>]: (plain: string) => Bearing[K] };

const WAYS: Ways = {
  forbids: (plain) =>
    (FORBIDS.test(plain) || LEAVES.test(plain) || FORBIDS_ELSEWHERE.test(plain)) &&
    !/\bno longer\b/i.test(plain),
  releases: (plain) => RELEASES.test(plain) || RELEASES_ELSEWHERE.test(plain),
  replaces: (plain) => REPLACES.test(plain) || REPLACES_ELSEWHERE.test(plain),
  // “So we don’t need to update it?” wants to know.
  revokes: (plain) => !isQuestion(plain) && (REVOKES.test(plain) || REVOKES_ELSEWHERE.test(plain)),
  conditional: (plain) => CONDITIONAL.test(plain) || CONDITIONAL_ELSEWHERE.test(plain),
  asks: (plain) => isQuestion(plain) && ASKS.test(plain.trim()),
  tells,
  limits: (plain) => LIMITS.test(plain) || LIMITS_ELSEWHERE.test(plain),
  dropped: droppedIn,
};

class LazyBearing implements Bearing {
  readonly acts: Bearing['acts'];
  readonly things: Bearing['things'];
  readonly numbers: Bearing['numbers'];
  readonly #plain: string;
  #known: Map<keyof Ways, unknown> | undefined;

  constructor(topic: Topic, plain: string) {
    this.acts = topic.acts;
    this.things = topic.things;
    this.numbers = topic.numbers;
    this.#plain = plain;
  }

  get forbids(): boolean {
    return this.#way('forbids');
  }
  get releases(): boolean {
    return this.#way('releases');
  }
  get replaces(): boolean {
    return this.#way('replaces');
  }
  get revokes(): boolean {
    return this.#way('revokes');
  }
  get conditional(): boolean {
    return this.#way('conditional');
  }
  get asks(): boolean {
    return this.#way('asks');
  }
  get tells(): boolean {
    return this.#way('tells');
  }
  get limits(): boolean {
    return this.#way('limits');
  }
  get dropped(): ReadonlySet<string> {
    return this.#way('dropped');
  }

  #way<K extends keyof Ways>(name: K): Bearing[K] {
    const known = (this.#known ??= new Map());
    if (!known.has(name)) known.set(name, WAYS[name](this.#plain));
    return known.get(name) as Bearing[K];
  }
}

function topicOf(plain: string): Topic {
  const acts = new Set<string>();
  const things = new Set<string>();
  const numbers: string[] = [];
  for (const token of plain.toLowerCase().replace(CONTRACTED, ' ').replace(BAN_WORDS, ' ').match(TOKEN) ??
    []) {
    const name = withoutEdges(token);
    if (isDigit(name.charCodeAt(0))) numbers.push(name);
    const { act, isTelling } = meaningOf(name);
    if (act !== undefined) acts.add(act);
    else if (isTelling) things.add(name);
  }
  if (!SPACELESS.test(plain)) return { acts, things, numbers };
  let spaceless = plain;
  for (const [inside, act] of ACTS_INSIDE) {
    if (!spaceless.includes(inside)) continue;
    acts.add(act);
    spaceless = spaceless.replaceAll(inside, ' ');
  }
  for (const run of spaceless.replace(EMPTY_INSIDE, ' ').match(SPACELESS_RUNS) ?? [])
    for (const piece of piecesOf(run)) things.add(piece);
  return { acts, things, numbers };
}

function droppedIn(plain: string): ReadonlySet<string> {
  const dropped = new Set<string>();
  for (const [, names] of plain.matchAll(DROPPED))
    for (const name of names!.toLowerCase().match(TOKEN) ?? [])
      if (meaningOf(name).isTelling) dropped.add(name);
  return dropped;
}

/** Two bearings without a common key are about different things. */
export function keysOf({ acts, things }: Bearing): string[] {
  return [...acts, ...[...things].map((thing) => thing.slice(0, 4))];
}

/** `don’t`, `I’ll`: never what a sentence is about. */
const CONTRACTED =
  /\b(?:(?:do|does|did|is|are|was|were|ca|wo|must|should|could|would|has|have|had)n[’']t|(?:i|you|we|they|he|she|it|that|there|what|let)[’'](?:s|re|ve|ll|d|m))\b/g;
const TOKEN = /[\p{Script=Latin}\p{Script=Cyrillic}\p{N}_./-]+/gu;
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const SPACELESS_RUNS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;

/** A word without the dots, slashes and dashes around it. */
function withoutEdges(token: string): string {
  return isEdge(token.charCodeAt(0)) || isEdge(token.charCodeAt(token.length - 1))
    ? token.replace(/^[./-]+|[./-]+$/g, '')
    : token;
}

/** `-`, `.` and `/` are neighbours. */
const isEdge = (unit: number): boolean => unit >= 45 && unit <= 47;
const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;

/** Katakana words, and pairs of Chinese characters: as near to words as it goes without a dictionary. */
function piecesOf(run: string): string[] {
  const words = run.match(/[\p{Script=Katakana}ー]{2,}|[\p{Script=Hangul}]{2,}/gu) ?? [];
  const han = run.match(/\p{Script=Han}{2,}/gu) ?? [];
  return [
    ...words,
    ...han.flatMap((one) => Array.from({ length: one.length - 1 }, (_, i) => one.slice(i, i + 2))),
  ];
}
