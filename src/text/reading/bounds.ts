/**
 * Words with which people set bounds, in the languages of agents' users. A text with one may set a bound or not: the
 * only effect is the order of texts if there is no room for all.
 */
const LATIN =
  "never|always|must(?:n[’']t)?|do not|don[’']?t|dont|only|no more than|at (?:most|least)|under no circumstances|avoid|make sure|ensure|unless|without (?:my|asking)|before you|ask (?:me )?(?:first|before)|off[- ]limits|forbidden|prohibited|not allowed|may not|cannot|from now on|no exceptions|stick to|instead of|rather than|keep|leave|prefer|should|require[ds]?|limit|cap" +
  // German, French, Spanish, Portuguese, Italian
  '|nie|niemals|immer|nur|kein(?:e[nrms]?)?|nicht|muss|müssen|darfst?|dürfen|verboten|höchstens|mindestens|ohne' +
  "|jamais|toujours|ne|n[’']\\p{L}+|interdit\\p{L}*|seulement|uniquement|sans|doit|dois|doivent|au (?:plus|moins)|évite[rz]?" +
  '|nunca|jamás|siempre|sempre|no|não|solo|sólo|só|solamente|somente|apenas|sin|sem|debe[sn]?|deve[ms]?|prohibid\\p{L}*|proibid\\p{L}*|evita[r]?|mai|non|soltanto|senza|vietat\\p{L}*' +
  // Dutch, Polish, Turkish
  '|nooit|altijd|niet|alleen|zonder|moet|nigdy|zawsze|tylko|nie wolno|bez|musi(?:sz)?|asla|her zaman|sadece' +
  // Russian, Ukrainian
  '|никогда|всегда|не|нельзя|только|без|обязательно|запрещ\\p{L}*|должн\\p{L}*|ніколи|завжди|тільки';
const BOUND = new RegExp(
  `(?<!\\p{L})(?:${LATIN})(?!\\p{L})` +
    // Chinese, Japanese, Korean, Hindi, Arabic, Hebrew: words without blanks between them, or without one on one side.
    '|不要|不能|不得|不许|不可|别|禁止|必须|务必|只能|只用|仅|始终|总是|永远|除非|至少|最多|绝对' +
    '|しないで|ないこと|ないように|してはいけ|禁止|必ず|常に|絶対|だけ|のみ|以内|지\\s?마|금지|반드시|항상|절대|만\\s|मत|कभी|हमेशा|केवल|सिर्फ|ज़रूर|لا\\s|ممنوع|دائم|فقط|يجب|أبد|אל\\s|אסור|תמיד|רק\\s|חייב',
  'iu',
);

/** Whether a user's passage has a word that may set a bound. */
export const mayBind = (passage: string): boolean => BOUND.test(passage);
