/**
 * The words by which people set bounds, a row a language. A sentence binds by its grammar: an order not to, an order
 * that holds for all time, a must, an only, a limit. What merely describes (“the build always fails”) does not.
 * A language without a row sets no bounds here; its users' words still stand in the digest.
 */
export interface BoundWords {
  readonly language: string;
  /** Tested against a sentence or a clause of it, at its beginning alone: sticky. */
  readonly opens?: RegExp;
  /** Tested anywhere in a sentence. */
  readonly holds?: RegExp;
  /** Words without which `holds` cannot match: it is slow, so it is asked only where they stand. */
  readonly needs?: RegExp;
}

const SUBJECT =
  '(?:you|we|i|it|this|that|these|those|they|nothing|nobody|no one|everything|all|each|every|the|our|my|any|tests?|code|changes?|commits?|files?)';

export const BOUND_WORDS: readonly BoundWords[] = [
  {
    language: 'en',
    opens: new RegExp(
      [
        `(?:do not|don['’]?t|never|under no circumstances)(?! (?:worry|bother|mind|know|think|see|understand|remember|recall|believe|care|get (?:it|that|this|why)|have (?:a|any|the|to)|need to|you|forget|hesitate))\\b`,
        `always (?!been\\b|was\\b|is\\b|the same)\\p{L}`,
        `avoid |refrain from |stay (?:away|on|with|within|inside|out) |hands off |stick (?:to|with) |keep .{1,80}\\b(?:below|under|within|as (?:is|it is|they are)|unchanged|intact|untouched|compatible|small|short|simple|minimal|private|separate|alive|green)\\b`,
        `leave .{1,80}\\b(?:alone|untouched|as (?:is|it is|they are)|unchanged)\\b`,
        `only (?!(?:one|two|three|a|an|the|problem|thing|issue|question|difference|then|when|if|once|because|after)\\b)\\p{L}`,
        `(?:no|zero) (?:new|more than|extra|additional|external|breaking|third[- ]party|further|other|\\p{L}+ing|\\p{L}+s)\\b(?! (?:idea|problem|worries|need|one|reason|rush|luck|longer|matter|thanks|changes? (?:yet|so far)))`,
        `(?:make|be) (?:very |absolutely )?sure (?:that |to |you |we |it |the |all |every |this |not )|ensure (?:that |the |all |every |no |it )|see to it that`,
        `(?:i )?prefer (?!(?:that|this|it|the (?:first|second|latter|former))\\b.{0,20}$)`,
        `use .{1,60}\\b(?:instead of|rather than|not|never|only|everywhere|throughout)\\b|write .{1,60}\\bonly\\b`,
        `ask (?:me )?(?:first|before)|check with me|wait for (?:my|me)|stop (?:and ask|only if)|only stop if`,
        `cap .{1,60}\\b(?:at|to)\\b|limit .{1,60}\\bto\\b|at most |no more than |at least \\d|feel free to `,
        `remember[:,]? (?:to|that|not|never|always)\\b|keep in mind|from now on|going forward|from here on|for (?:all|any) future`,
        `please use |please (?:keep|stick|avoid|leave|always|never)\\b`,
      ].join('|'),
      'iuy',
    ),
    // One `\b` for all: to look for it costs more than the words do.
    holds: new RegExp(
      `\\b(?:${[
        `(?:must not|mustn['’]t|may not|shall not|is not allowed to|are not allowed to)\\b`,
        `(?:i|we) (?:do not|don['’]?t|never|only|would rather not|['’]d rather not) want\\b|(?:i|we) (?:would |['’]d )?only want\\b|(?:i|we) (?:only |just )?want (?:you to |it to |this to |them to |\\p{L}+ to )?(?:not|never|only|always|no)\\b|i['’]d rather\\b`,
        `(?:off[- ]limits|forbidden|prohibited|read[- ]only|is frozen|are frozen|not negotiable|non-negotiable|out of scope|under no circumstances|no exceptions|at all times|from now on|going forward)\\b(?! (?:error|for admins|response|status))`,
        `(?:without asking|unless i|until i|before you (?:touch|change|delete|push|merge|commit|deploy|publish)|ask me (?:first|before)|wait for (?:my|me)\\b|only stop if|without my)\\b`,
        `(?:you|they|we) (?:can['’]?t|cannot|may only|can only|may never)\\b|you may \\b`,
        `may (?:hold|take|use|have|contain|only|approve)\\b[^.;!?]{0,40}\\b(?:at most|only|no more)\\b|only [^.;!?]{1,60} may\\b|(?:must|should) stay (?:under|below|within)\\b|no more than \\d|at most \\d`,
        `but (?:do not|don['’]?t|never|only|not|without|keep|leave|avoid)\\b|and (?:do not|don['’]?t|never)\\b|make sure\\b`,
      ].join('|')})`,
      'iu',
    ),
  },
  {
    language: 'en',
    needs: /\b(?:must|shall|should|ha(?:ve|s) to|needs? to)/iu,
    holds: new RegExp(
      [
        `\\b${SUBJECT}\\b[^.;!?]{0,80}?\\b(?:must|shall|should)(?:n['’]t| not| never| only| always)\\b`,
        `^(?!i (?:have|need)|i['’]ll|.*\\b(?:bug|issue|error|problem|fails?|failing|fix|broken)\\b)[^.;!?]{0,90}\\b(?:must|have to|has to|needs? to|shall) (?:always |all |never |also |still )?(?:be|stay|remain|keep|pass|support|work|run|compile|have(?! (?:been|had|gone|to))|hold|use|mention|include|contain|match|follow|live|go|stand|fit|return|come|cover|be)\\b(?! been\\b)`,
      ].join('|'),
      'iu',
    ),
  },
  {
    language: 'de',
    opens:
      /(?:bitte )?(?:niemals|nie(?! wieder was)|nimm|nutze|verwende|lass|bleib|halte? dich|achte darauf|stelle? sicher|keine?n?[rsm]? (?:neue|weitere|externe))\b/iuy,
    holds:
      /(?<!\p{L})(?:niemals|darfst|dürfen nicht|darf nicht|darf nur|auf keinen fall|keinesfalls|verboten|tabu|ausschließlich|ab jetzt|von jetzt an|ab sofort|nur noch|höchstens|unbedingt|bitte (?:\S+ ){0,3}(?:nicht|nie|kein\p{L}*|noch nicht|nur)|muss (?:immer|stets|zwingend)|müssen (?:immer|stets)|immer (?:erst|zuerst|vorher)|ohne (?:zu fragen|rücksprache))(?!\p{L})/iu,
  },
  {
    language: 'fr',
    opens:
      /(?:ne |n['’]|évite[rz]? |utilise[rz]? (?:toujours|uniquement)|garde[rz]? |veille[rz]? à|assure(?:z-vous|-toi))/iuy,
    holds:
      /(?<!\p{L})(?:jamais|il (?:ne )?faut|interdit|uniquement|désormais|ne (?:\S+ ){1,3}(?:pas|jamais|plus que)|doit (?:toujours|rester)|tu dois|vous devez|au plus|sans (?:demander|mon accord))(?!\p{L})/iu,
  },
  {
    language: 'es',
    opens:
      /(?:no (?!(?:one|idea|problem|worries|need|more|longer|new)\b)\p{L}+(?:es|as|en|an|éis|áis|ar|er|ir)\b|nunca|jamás|evita|usa siempre|usa solo|prefiero que)/iuy,
    holds:
      /(?<!\p{L})(?:nunca|jamás|siempre (?:usa|que|debes)|, siempre|prohibido|hay que|no debes?|debes? (?:siempre|usar|mantener)|como máximo|únicamente|de ahora en adelante|asegúrate|sin (?:preguntar|mi permiso))(?!\p{L})/iu,
  },
  {
    language: 'pt, it, nl, sv, pl, tr, fi',
    holds:
      /(?<!\p{L})(?:nunca|não (?:deves?|pode[ms]?|use|altere|apague)|somente|proibido|sempre que|mai (?:\p{L}+re|usare)|non (?:devi|usare|toccare|modificare)|vietato|nooit|niet (?:aan|doen|wijzigen)|mag niet|moet altijd|får (?:inte|aldrig)|rör inte|aldrig|nigdy|nie (?:wolno|zmieniaj|usuwaj|rób)|zawsze|zabronione|asla|sakın|yapma|dokunma|yasak|älä|ei saa|aina)(?!\p{L})/iu,
  },
  {
    language: 'ru, uk',
    holds:
      /(?<!\p{L})(?:никогда не|нельзя|запрещ\p{L}+|обязательно|всегда (?!был)|не (?:трогай|меняй|удаляй|пушь|коммить|делай|используй|надо|нужно|должен|должна|должны|смей)\p{L}*|только (?:через|с|по|в|для)|ніколи не|не можна|завжди)(?!\p{L})/iu,
  },
  {
    language: 'zh',
    holds:
      /不要(?!紧)|必须|必須|一定要|只能|只用|只准|只允许|禁止|务必|請勿|请勿|别(?:再|去|动|改|用|提|删|推)|始终|不得|不准|不可(?!能)|永远不|总是要|至多|最多|不超过/u,
  },
  {
    language: 'ja',
    holds:
      /必ず|絶対に|しないで|ないでください|ないこと|てはいけ|ては(?:だめ|ダメ)|禁止|のみ(?:に|を|で)|常に.{1,20}(?:こと|ください)/u,
  },
  { language: 'ko', holds: /절대|항상|반드시|하지 ?마|지 ?말|금지|만 사용/u },
  {
    language: 'ar, he, hi, vi, el',
    holds:
      /ممنوع|لا تقم|لا تحذف|لا تغير|أبدا|دائما|يجب (?:أن|ألا)|אסור|לעולם לא|תמיד|कभी (?:नहीं|मत)|मत |हमेशा|केवल|đừng|không được|luôn luôn|chỉ được|ποτέ|μην |πάντα|απαγορεύεται/u,
  },
];
