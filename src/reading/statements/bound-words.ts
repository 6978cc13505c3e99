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

/** Behind “never” and “always”: forms in which something is told, of the past, of others, or of what goes on. */
const TOLD =
  '(?!\\p{L}*(?:eed|embed)\\b)\\p{L}+ed\\b|(?!(?:br|p|r|s|str|sw)ing\\b)\\p{L}+ing\\b|\\p{L}*[^s\\W]s\\b|(?:been|was|were|had|did|saw|seen|heard|knew|went|met|got|thought|said|found|felt|came|made|took|gone|done|told)\\b|(?:read|set|run|hit|sent|kept|built|shown|written)\\W*$';
/** Behind “always”: how something is. */
const STATE =
  '(?:the same|up|good|great|nice|happy|glad|a|an|there|full|fun|so|in|on|worth|my|our|your|(?!(?:ask|tell|show|give|call|send|warn|notify|let|answer) )\\p{L}+ (?:me|my|us))\\b';
/** Behind “don’t” and “never”: comfort, courtesy and what one knows; nothing that an agent is to leave. */
const COMFORT =
  '(?:worry|bother|mind|know|think|see|understand|remember|recall|believe|care|get (?:it|that|this|why|me wrong)|have (?:an?|any|the|to|much)|need to|you(?! (?:dare|ever))|forget|hesitate|give up|feel|rush|sweat|say never|be (?:afraid|shy|sad|sorry|scared|too hard|hard)|(?:limit|beat|push|blame|stress|kid) yourself|put (?:so |too )?much)\\b';
/** Behind “no”: talk, and what there is none of. */
const TALK =
  '(?:(?:further |other |more )?(?:comments|questions|remarks)|idea|problem|prob|worries|worry|need|one|reason|rush|luck|longer|matter|thanks|regrets|wonder|details|plans|objections|surprises|signs|news|doubts|changes? (?:yet|so far))\\b';
/** Behind “must”: a guess at how something is or felt. */
const GUESS =
  '(?:have (?:been|had|gone|felt|\\p{L}+ed)|feel|mean|like|love)\\b|(?:still |also |all )?(?:be|feel) (?:(?:so|very|really|quite|pretty|such|super|kind of|a bit)\\b|(?:an? )?(?:awesome|great|tough|hard|nice|fun|cool|sad|happy|proud|tired|lovely|scary|amazing|wonderful|beautiful|delicious|raw|\\p{L}+(?:ying|cing|sing|ting|ging|zing|ving|ful))\\b|(?:some|any)(?:thing|where|how|one)\\b|because\\b|why\\b|joking\\b|wrong\\b|mistaken\\b|a (?:bug|typo|mistake|coincidence|reason)\\b)';
/** Of whom “make sure” tells instead of asking for it. */
const PROMISES = "(?:\\b(?:i|we|they|he|she|who)|[’'](?:ll|d|m|re)) (?:\\p{L}+ ){0,3}?(?:to )?";

/** What others say has to be. */
const REPORTED =
  '.*(?:\\bi told (?:him|her|them)\\b|(?<!\\bi )\\b(?:says?|said|argues?|claims?|claimed|wrote|know|knew|told (?:him|her|them|us))\\b).{0,60}\\b(?:must|have to|has to|should)\\b';

export const BOUND_WORDS: readonly BoundWords[] = [
  {
    language: 'en',
    opens: new RegExp(
      [
        `(?:do not|don['’]?t|under no circumstances)(?! ${COMFORT})\\b`,
        `never (?!${TOLD}|${COMFORT})\\p{L}`,
        `always (?!${TOLD}|${STATE})\\p{L}`,
        `avoid |refrain from |stay (?:away|on|with|within|inside|out) |hands off |stick (?:to|with) |keep .{1,80}\\b(?:below|under|within|as (?:is|it is|they are)|unchanged|intact|untouched|compatible|(?:small|short|simple|minimal|private|separate|alive|green)(?= ?(?:$|[^\\s\\p{L}]| (?:and|so|to|in|for|from)\\b)))\\b`,
        `leave .{1,80}\\b(?:alone|untouched|as (?:is|it is|they are)|unchanged)\\b`,
        `only (?!(?:one|two|three|a|an|the|problem|thing|issue|question|difference|then|when|if|once|because|after|\\p{L}*[^s\\W]s (?:the|an?|it|one))\\b)\\p{L}`,
        `(?:no|zero) (?!${TALK})(?:new|more than|extra|additional|external|breaking|third[- ]party|further|other|\\p{L}+ing|\\p{L}+s)\\b(?! (?:yet|so far)\\b)(?! (?:are|is|were|was|came|have|has)\\b(?! to\\b))`,
        `(?:make|be) (?:very |absolutely )?sure (?:that |to (?!(?:tell|take care|let (?:me|us) know)\\b)|you (?!(?:take|get|have|stay)\\b)|we |it |the |all |every |this |not )|ensure (?:that |the |all |every |no |it )|see to it that`,
        `(?:i )?prefer (?!(?:that|this|it|the (?:first|second|latter|former))\\b.{0,20}$)`,
        `use .{1,60}\\b(?:instead of|rather than|not|never|only|everywhere|throughout)\\b|write .{1,60}\\bonly\\b`,
        `ask (?:me )?(?:first|before)|check with me|wait for (?:my|me)|stop (?:and ask|only if)|only stop if`,
        `cap .{1,60}\\b(?:at|to)\\b|limit .{1,60}\\bto\\b|at most |no more than |at least \\d`,
        `remember[:,]? (?:to|that|not|never|always)\\b|keep in mind|from now on|going forward|from here on|for (?:all|any) future`,
        `please use |please (?:keep|stick|avoid|leave|always|never)\\b`,
      ].join('|'),
      'iuy',
    ),
    // One `\b` for all: to look for it costs more than the words do.
    holds: new RegExp(
      `\\b(?:${[
        `(?:must (?:not|never)(?! have\\b)|mustn['’]t|(?<!\\b(?:which|that|this|it|they) )may not|shall not|is not allowed to|are not allowed to)\\b`,
        `(?:i|we) (?:do not|don['’]?t|never|only|would rather not|['’]d rather not) want\\b|(?:i|we) (?:would |['’]d )?only want\\b|(?:i|we) (?:only |just )?want (?:you to |it to |this to |them to |\\p{L}+ to )?(?:not|never|only|always|no)\\b|i['’]d rather (?!wait|stay|see|go\\b)\\b`,
        `(?:off[- ]limits|forbidden|prohibited|read[- ]only|is frozen|are frozen|not negotiable|non-negotiable|out of scope|under no circumstances|no exceptions|at all times|from now on|going forward)\\b(?! (?:error|for admins|response|status))`,
        `(?:without asking|(?:unless|until) i(?:['’]ve)? (?!met|saw|was|got|had|found|did|came|went|started|realized|read)\\p{L}|before you (?:touch|change|delete|push|merge|commit|deploy|publish)|ask me (?:first|before)|wait for (?:my|me)\\b|only stop if|without my (?:explicit |prior )?(?:ok|okay|approval|permission|consent|say|knowledge|confirmation|go|sign|review))\\b`,
        `(?<!turns out )(?:you|they|we) (?:can['’]?t|cannot|may only|can only|may never)\\b(?! (?:really|wait|believe|imagine|tell|see|find|get|help)\\b)|you may (?!skip\\b|ignore\\b)(?![^.;!?]*\\b(?:this time|today)\\b)\\b`,
        `may (?:hold|take|use|have|contain|only|approve)\\b[^.;!?]{0,40}\\b(?:at most|only|no more)\\b|only [^.;!?]{1,60} may\\b|(?:must|should) stay (?:under|below|within)\\b|no more than \\d|at most \\d`,
        `but (?:(?:do not|don['’]?t)(?! ${COMFORT})|(?:never|only)(?! (?:${TOLD}))|not(?! (?:the other|all|always|everyone|enough|sure|so|too|very|quite|stress)\\b)|without(?! the\\b)|keep|leave|avoid)\\b|and (?:do not|don['’]?t|never)\\b(?! (?:${TOLD}|${COMFORT}))|(?<!${PROMISES}|\\b(?:can|could) you )make sure\\b(?! (?:i|they)\\b)(?! you (?:take|get|have|stay)\\b)`,
      ].join('|')})`,
      'iu',
    ),
  },
  {
    language: 'en',
    needs: /\b(?:must|shall|should|ha(?:ve|s) to|needs? to)/iu,
    holds: new RegExp(
      [
        `^(?!${REPORTED})(?:.*\\b)?(?!i (?:shall|should) )${SUBJECT}\\b[^.;!?]{0,80}?\\b(?:must|shall|should)(?:n['’]t| not| never| only| always)\\b(?! (?:happen|occur|matter|take|have)\\b| be (?:an? )?(?:problem|issue|hard|difficult|too)\\b)`,
        `^(?!${REPORTED}|must (?:be|have)\\b|(?:\\p{L}{2,5},? )?i(?:['’]ll| (?:have|need))|.*\\b(?:bug|issue|error|problem|fails?|failing|fix|broken)\\b|.*\\bmust (?:${GUESS})|.*\\b(?:have|need) to keep (?:me|us)\\b)[^.;!?]{0,90}\\b(?:must|have to|has to|needs? to|shall) (?:always |all |never |also |still )?(?:be|stay|remain|keep|pass|support|work|run|compile|have(?! (?:been|had|gone|to))|hold|use|mention|include|contain|match|follow|live|go|stand|fit|return|come|cover|be)\\b(?! been\\b)`,
      ].join('|'),
      'iu',
    ),
  },
  {
    // Rules as people put them who give no order.
    language: 'en',
    opens: new RegExp(
      [
        `nothing (?:leaves|gets|goes|ships|may|touches|is to be)\\b|nobody (?:touches|merges|pushes|deploys|may)\\b`,
        `max(?:imum)? \\d+ \\p{L}|no more (?!${TALK}|than\\b)\\p{L}+`,
        `stop (?:putting|adding|using|writing|calling|making|saying|creating|inserting)\\b`,
        `(?:just )?use [\\w.@/-]{1,40} (?:in|for|everywhere)\\b`,
        `leave .{1,60}\\b(?:out|where (?:it is|they are))\\b|keep (?:out of|away from|off)\\b|let me be the one\\b`,
        `for the rest of (?:this|the|our)\\b|as a rule\\b|whatever happens\\b|make it a (?:habit|rule)\\b`,
        `in this (?:project|repo|repository|codebase|house|team),? we\\b|we (?:do not|don['’]?t) (?:do|use|write|commit|merge|push|allow|accept|ship|deploy|log|store|mock)\\b`,
      ].join('|'),
      'iuy',
    ),
    holds: new RegExp(
      `\\b(?:${[
        `(?:past|by) me (?:first|before)|(?:ask|asks|check|clear|confirm)\\b[^.;!?]{0,40}\\bbefore (?:you|each|every|any)\\b`,
        `(?:out of the question|off the table|untouchable|append-only|hard limit|not just today|now and in (?:the )?future)\\b`,
        `you(?:['’]re| are) not to\\b|is not for you\\b|there will be no\\b|you keep (?:out|away|off)\\b`,
        `i (?:expect|want) (?:every|all|any|each)\\b`,
        `(?:every time|whenever) you (?!(?:need|want|like|feel|get|have|are)\\b|[^.;!?]*\\b(?:crash|fail|break|freeze|hang|error|slow)\\p{L}*)[^.;!?]{1,80}(?:, |i want\\b|please\\b)`,
      ].join('|')})`,
      'iu',
    ),
  },
  {
    language: 'de',
    opens:
      /(?:bitte )?(?:niemals|nie(?! wieder was)|nimm|nutze|verwende|lass|bleib|halte? dich|achte darauf|stelle? sicher|keine?n?[rsm]? (?:neue|weitere|externe))\b/iuy,
    holds:
      /(?<!\p{L})(?:niemals|darfst|dürfen nicht|darf nicht|darf nur|auf keinen fall|keinesfalls|verboten|tabu|ausschließlich|ab jetzt|von jetzt an|ab sofort|nur noch|höchstens|unbedingt|bitte (?:\S+ ){0,3}(?:nicht|nie|kein\p{L}*|noch nicht|nur)|muss (?:immer|stets|zwingend)|müssen (?:immer|stets)|immer (?:erst|zuerst|vorher)|ohne (?:zu fragen|rücksprache|mich (?:vorher |erst )?zu fragen|(?:mein )?(?:okay|ok|grünes licht|freigabe|zustimmung))|nicht (?:erlaubt|gestattet)|grundsätzlich)(?!\p{L})/iu,
  },
  {
    language: 'fr',
    opens:
      /(?:ne |n['’]|évite[rz]? |utilise[rz]? (?:toujours|uniquement)|garde[rz]? |veille[rz]? à|assure(?:z-vous|-toi))/iuy,
    holds:
      /(?<!\p{L})(?:(?<!(?:^|[\s,«(])(?:il|elle|ça|cela|je|on|(?:le|la|les|un|une|mon|ma|mes|ce|cette|son|sa) [^\s,]{1,30}|l['’][^\s,]{1,30}) (?:ne |n['’])(?:[^\s,]{1,30} ){0,2})jamais|il (?:ne )?faut(?! (?:pas )?t['’])|avant de (?:supprimer|modifier|pousser|déployer)|interdit|uniquement|désormais|(?<!(?:^|[\s,«(])(?:il|elle|ça|cela|je|on|(?:le|la|les|un|une|mon|ma|mes|ce|cette|son|sa) [^\s,]{1,30}|l['’][^\s,]{1,30}) )ne (?:\S+ ){1,3}(?:pas|jamais|plus que)|doit (?:toujours|rester)|tu dois|vous devez|au plus|sans (?:demander|mon accord))(?!\p{L})/iu,
  },
  {
    language: 'es',
    opens:
      /(?:no (?=\p{L}+(?:es|as|en|an|éis|áis|ar|er|ir)\b)(?=.*(?:(?<!\p{L})(?:el|la|los|las|un|una|de|del|al|que|por|con|nada|ni|este|esta|tus?|sus?|mis?|lo|se|sin)(?!\p{L})|[áéíóúñ¡])|(?:toques|borres|uses|cambies|hagas|modifiques|subas|edites|elimines|agregues)\b)|nunca(?! (?:me|se|ha|han|hab\p{L}+)(?!\p{L}))|jamás|evita|usa siempre|usa solo|prefiero que)/iuy,
    holds:
      /(?<!\p{L})(?:(?<!(?<!\p{L})(?:el|la|los|las|un|una|o|a|os|as|um|uma) [^\s,]{1,30} )nunca(?! (?:me|se|ha|han|hab\p{L}+)(?!\p{L}))|jamás|a partir de ahora|sin excepciones|solo puedes|siempre (?:usa|que|debes)|, siempre|prohibido|hay que|no debes?|debes? (?:siempre|usar|mantener)|como máximo|únicamente|de ahora en adelante|asegúrate|sin (?:preguntar|mi permiso))(?!\p{L})/iu,
  },
  {
    language: 'pt, it, nl, sv, pl, tr, fi',
    holds:
      /(?<!\p{L})(?:(?<!(?<!\p{L})(?:o|a|os|as|um|uma|el|la) [^\s,]{1,30} )nunca(?! (?:me|se|ha|hab\p{L}+)(?!\p{L}))|daqui (?:pra|para) (?:a )?frente|tem que|não (?:deves?|pode[ms]?|use|altere|apague)|somente|proibido|sempre que|mai (?:\p{L}+re|usare)|non (?:devi|usare|toccare|modificare)|vietato|nooit|niet (?:aan|doen|wijzigen)|mag niet|moet altijd|får (?:inte|aldrig)|rör inte|aldrig|nigdy|nie (?:wolno|zmieniaj|usuwaj|rób)|zawsze|zabronione|asla|sakın|yapma|dokunma|yasak|älä|ei saa|aina)(?!\p{L})/iu,
  },
  {
    language: 'ru, uk',
    holds:
      /(?<!\p{L})(?:никогда не(?! \p{L}+(?:ит|ет|ёт|ут|ют|ат|ят|ил|ел|ал|ала|или)(?!\p{L}))|ни при каких|нельзя|запрещ\p{L}+|обязательно|всегда (?!был)|не (?:трогай|меняй|удаляй|пушь|коммить|делай|используй|надо|нужно|должен|должна|должны|смей)\p{L}*|только (?:через|с|по|в|для)|ніколи не|не можна|завжди)(?!\p{L})/iu,
  },
  {
    language: 'zh',
    holds:
      /不要(?!紧)|必须|必須|一定要|只能|只用|只准|只允许|禁止|务必|請勿|请勿|别(?:再|去|动|改|用|提|删|推)|始终|不得|不准|不可(?!能)|永远不|总是要|至多|最多|不超过|以后(?:所有|都)|请一直|不能(?:变|改|动)/u,
  },
  {
    language: 'ja',
    holds:
      /必ず|絶対に|以内で|(?<!気に|心配)しないで|ないでください|ないこと|てはいけ|ては(?:だめ|ダメ)|禁止|のみ(?:に|を|で)|常に.{1,20}(?:こと|ください)/u,
  },
  { language: 'ko', holds: /절대|항상|반드시|하지 ?마|지 ?말|금지|만 사용/u },
  {
    language: 'ar, he, hi, vi, el',
    holds:
      /ممنوع|لا تقم|لا تحذف|لا تغير|أبدا|دائما|يجب (?:أن|ألا)|אסור|לעולם לא|תמיד|कभी (?:नहीं|मत)|मत |हमेशा|केवल|đừng|không được|luôn luôn|chỉ được|ποτέ|μην |πάντα|απαγορεύεται/u,
  },
];
