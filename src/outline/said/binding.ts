import { tells, withoutTalk } from './telling.js';

/**
 * Words by which people set bounds, in the languages agents are most spoken to in. A list: whoever misses a word adds
 * it. A sentence too many costs a line of claims, one too few costs a rule.
 */
const STRONG_WORDS = [
  // English
  "never|always|must|mustn[’']t|(?:do not|don[’']?t)(?! (?:think|know|see|understand|get|remember|care|mind|believe|recall|worry|hesitate|need|have to))|shall|may not|(?:you|we|it|they|nobody) (?:can[’']?t|cannot)|forbidden|prohibited|off[- ]limits|not allowed",
  'under no circumstances|no exceptions|make sure|ensure|from now on|from here on|going forward|at all times|every time|each time|whenever',
  'no more than|at most|at least|limit(?:ed)? to|only ever|unless|until i|before you|without asking|ask me|check with me|hands off|stay away|stick (?:to|with)',
  'leave (?:it|that|this|them|the|my|our) .{0,40}(?:alone|untouched|as (?:it is|they are|is))|refrain|avoid|required|remember|keep in mind|it is important|no new|no longer|is read-only',
  // German
  'nie|niemals|immer|stets|muss|musst|müssen|darfst|dürfen|nicht|kein|keine|keinen|keinerlei|nur|ohne|unbedingt|höchstens|mindestens|auf keinen fall|verboten|ab jetzt|von jetzt an|achte darauf',
  // French
  'jamais|toujours|dois|doit|devez|ne .{1,30} pas|sans|seulement|uniquement|interdit|il faut|au (?:plus|moins)|évite[rz]?|désormais|assure-toi|assurez-vous',
  // Spanish, Portuguese, Italian, Dutch
  'nunca|jamás|siempre|debes?|deben|no (?!one|idea|problem|worries|need|matter|longer)\\p{L}+(?:es|as|éis|áis)|sin|solamente|sólo|prohibido|hay que|como máximo|al menos|evita|asegúrate',
  'sempre|deves?|não|sem|somente|apenas|proibido|devi|mai|senza|soltanto|vietato|nooit|altijd|moet|niet|geen|alleen|zonder',
  // Russian
  'никогда|всегда|не|нельзя|только|должен|должна|должны|обязательно|без|запрещено',
].join('|');

const STRONG = new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${STRONG_WORDS})(?![\\p{L}\\p{N}_-])`, 'iu');

/** Scripts without spaces, and Korean with its endings. */
const STRONG_ELSEWHERE =
  /不要|必须|必須|一定要|只能|只用|只准|禁止|务必|請勿|请勿|別|别(?:再|去|动|改|用|提|删|推)|始终|不得|不能|不准|不可|永远|总是|至少|最多|必ず|絶対|しないで|ないでください|ないこと|常に|てはいけ|ては(?:だめ|ダメ)|절대|항상|반드시|하지 ?마|지 ?말|금지/u;

const WEAK =
  /(?<![\p{L}\p{N}_-])(?:only|without|should(?:n[’']?t)?|prefer(?:red|ably)?|important|keep|use|want|would like|i[’']d like|need(?:s)? to|has to|have to|can[’']?t|cannot|require|please|stop|instead|rather|you (?:may|can)|allowed|feel free|by default|sollte?n?|soll|bitte|verwende|benutze|nutze|utilise[rz]?|préfère|usa|utiliza|use|prefiere|gebruik)(?![\p{L}\p{N}_])|请|希望|使用|ください|使って|해 ?주세요/iu;

/** Forms in which a weaker word is a rule all the same. */
const FORMS =
  /^(?:please )?(?:use|keep|name|write|follow|prefer|answer|respond|stick|only|cap|limit|leave|feel free)(?![\p{L}])|^(?:i|we)(?:[’']d| would)? prefer|(?<![\p{L}])(?:only .{1,60} may|you may|without asking|keep .{1,60} (?:below|under|within))(?![\p{L}])/iu;

/** How much a sentence binds: 2, it is a rule; 1, it may be one; 0, it is none. Linear; long text is none. */
export function bindingOf(sentence: string): 0 | 1 | 2 {
  const plain = withoutTalk(sentence);
  const isStrong = STRONG.test(plain) || STRONG_ELSEWHERE.test(plain);
  if (!isStrong && !WEAK.test(sentence) && !FORMS.test(sentence)) return 0;
  if (sentence.endsWith('?')) return 1;
  if (isStrong && !tells(sentence)) return 2;
  // “Keep it up!” cheers.
  return FORMS.test(sentence) && !sentence.endsWith('!') ? 2 : 1;
}
