import type { BoundWords } from './row.js';

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

/** Behind “cannot”: what one fails to do. */
const HELPLESS =
  '(?:really|wait|believe|imagine|tell|see|find|get|help|guess|hope|dream|reproduce|connect|open|access|reach|figure|understand|say|load|log in|sign in|remember|hear|decide|agree|even|just|seem|come|make it|explain|recall|know)\\b';
/** Behind “don’t want to”: what one would rather not feel. */
const FEEL =
  '(?:talk|hurt|go through|be (?:rude|annoying|a bother)|bother|disturb|sound|interrupt|annoy|think|hear|argue|offend|complain|lose|miss|die|cry|sleep|know|see)\\b';
/** What an agent does that others feel. */
const ACT =
  '(?:touch|change|edit|modify|rename|delete|remove|drop|add|use|upgrade|update|bump|push|commit|deploy|merge|release|publish|send|ship|post|introduce|break|refactor|rewrite|reformat|move|install|log|store|spend|mock|cache|buy|book|order|pay|restart|migrate|rebase|write|create|open|close|run|start|apply|proceed|continue)';
const DOINGS =
  '(?:deploys?|deployments?|deploying|releases?|releasing|merges?|merging|push(?:es|ing)?|commits?|committing|migrations?|publishing|roll-?outs?|purchases?|payments?|bookings?|deletions?|deleting|refunds?|e?-?mails|reviews?)';
const MY_WORD =
  '(?:ok|okay|approval|sign-?off|permission|consent|confirmation|go-ahead|review|blessing|say-so)\\b';

/** What others say has to be. */
const REPORTED =
  '.*(?:\\bi told (?:him|her|them)\\b|(?<!\\bi )\\b(?:says?|said|argues?|claims?|claimed|wrote|know|knew|told (?:him|her|them|us))\\b).{0,60}\\b(?:must|have to|has to|should)\\b';

/** Words of others, and what is no duty. */
const TELLS =
  /\b(?:he|she|they|who|docs?|documentation|readme|manual|handbook|guide|wiki|error|linter|compiler|teacher|boss|manager|colleague|customer|client) (?:said|says?|told|wrote|writes|asked|claims?)\b|^\W{0,3}what if\b|^\W{0,3}(?:(?:there(?:['’]s| is) )?no need|(?:you )?(?:do not|don['’]?t) (?:need|have)) to\b(?!.{0,200}\b(?:but|and) (?:never|do not|don['’]?t|always|only)\b)/iu;
/** Behind what should be: what is instead. It is to be mended, once. */
const FAULT =
  /\b(?:but|yet) (?:it|they|this|that|he|she) (?:do(?:es)?|did|is(?! (?:ok|okay|fine|optional|allowed|enough))|are|was|shows?|still|currently|always|never|returns?|fails?|crashes|gets?|goes|keeps?|(?:is|are|do|does|did)n['’]t)\b|\bit (?:is|does) not\b\W{0,3}$|[,;] right now\b|\b(?:please )?fix(?: (?:it|this|that))?(?: please| pls)?\W{0,3}$/iu;

export const EN: readonly BoundWords[] = [
  {
    language: 'en',
    tells: TELLS,
    opens: new RegExp(
      [
        `(?:do not|don['’]?t|under no circumstances)(?! ${COMFORT})\\b`,
        `never (?!${TOLD}|${COMFORT})\\p{L}`,
        `always (?!${TOLD}|${STATE})\\p{L}`,
        `avoid |refrain from |stay (?:away|on|with|within|inside|out) |(?:keep your )?hands off |stick (?:to|with) |keep .{1,80}\\b(?:below|under|within|as (?:is|it is|they are)|unchanged|intact|untouched|compatible|(?:small|short|simple|minimal|private|separate|alive|green)(?= ?(?:$|[^\\s\\p{L}]| (?:and|so|to|in|for|from)\\b)))\\b`,
        `leave .{1,80}\\b(?:alone|untouched|as (?:is|it is|they are)|unchanged)\\b`,
        `only (?!(?:one|two|three|a|an|the|problem|thing|issue|question|difference|then|when|if|once|because|after|\\p{L}*[^s\\W]s (?:the|an?|it|one))\\b)\\p{L}`,
        `(?:no|zero) (?!${TALK}|[^.;!?]{0,80}(?<!\\p{L})(?:que|el|la|los|las|una|lo|para|por|está|hacerlo|tan)(?!\\p{L}))(?:new|more than|extra|additional|external|breaking|third[- ]party|further|other|\\p{L}+ing|\\p{L}+s)\\b(?! (?:yet|so far)\\b)(?! (?:are|is|were|was|came|have|has)\\b(?! to\\b))`,
        `(?:make|be) (?:very |absolutely )?sure (?:that |to (?!(?:tell|take care|let (?:me|us) know)\\b)|you (?!(?:take|get|have|stay)\\b)|we |it |the |all |every |this |not )|ensure (?:that |the |all |every |no |it )|see to it that`,
        `(?:i )?prefer (?!(?:that|this|it|the (?:first|second|latter|former))\\b.{0,20}$)`,
        `use .{1,60}\\b(?:(?:instead of|rather than)(?! (?:this|that|it)\\W*$)|not|never|only|everywhere|throughout)\\b|write .{1,60}\\bonly\\b`,
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
        `(?:i|we) (?:do not|don['’]?t|never|only|would rather not|['’]d rather not) want\\b(?! to ${FEEL})|(?:i|we) (?:would |['’]d )?only want\\b|(?:i|we) (?:only |just )?want (?:you to |it to |this to |them to |\\p{L}+ to )?(?:not|never|only|always|no)\\b|i['’]d rather (?!wait|stay|see|go\\b)\\b`,
        `(?:off[- ]limits|forbidden|prohibited|read[- ]only|is frozen|are frozen|not negotiable|non-negotiable|out of scope|under no circumstances|no exceptions|at all times|from now on|going forward)\\b(?! (?:error|for admins|response|status))`,
        `(?:without asking|(?:unless|until) i(?:['’]ve)? (?!met|saw|was|got|had|found|did|came|went|started|realized|read)\\p{L}|before you (?:touch|change|delete|push|merge|commit|deploy|publish)|ask me (?:first|before)|wait for (?:my|me)\\b|only stop if|without my (?:explicit |prior )?(?:ok|okay|approval|permission|consent|say|knowledge|confirmation|go|sign|review))\\b`,
        `(?<!turns out )(?:you|they|we) (?:can['’]?t|cannot|may only|can only|may never)\\b(?! ${HELPLESS})|(?<!\\b(?:whether|if|says?|said|(?:told|asked) (?:him|her|them|me)[:,]?) )you may (?!(?:skip|ignore|want|need|have|find|notice|see|as well|think|remember|recall|know|wonder|get|be)\\b)(?![^.;!?]*\\b(?:this time|today)\\b)\\b`,
        `may (?:hold|take|use|have|contain|only|approve)\\b[^.;!?]{0,40}\\b(?:at most|only|no more)\\b|only [^.;!?]{1,60} may\\b|(?:must|should) stay (?:under|below|within)\\b|no more than \\d|at most \\d`,
        `but (?:(?:do not|don['’]?t)(?! ${COMFORT})|(?:never|only)(?! (?:${TOLD}))|not(?! (?:the other|all|always|everyone|enough|sure|so|too|very|quite|stress)\\b)|without(?! the\\b)|keep|leave|avoid)\\b|and (?:do not|don['’]?t|never)\\b(?! (?:${TOLD}|${COMFORT}))|(?<!${PROMISES}|\\b(?:can|could) you )make sure\\b(?! (?:i|they)\\b)(?! you (?:take|get|have|stay)\\b)`,
      ].join('|')})`,
      'iu',
    ),
  },
  {
    language: 'en',
    tells: FAULT,
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
    tells: TELLS,
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
    // Everyday words: who does it himself, what is not yet, where alone, and after whose word.
    language: 'en',
    tells: TELLS,
    opens: new RegExp(
      [
        `hold off (?:on|with|from)\\b|stay out of\\b|keep your (?:hands|fingers) (?:off|away)\\b`,
        `i(?:['’]ll| will)? (?:always )?(?:do|handle|run|make|take care of) (?:all |the |every |any |our )*(?:\\p{L}{1,20} )?${DOINGS} (?:my|our)sel(?:f|ves)\\b`,
        `leave (?:all |any |the |every )*(?:\\p{L}{1,20} )?${DOINGS} to (?:me|us)\\b`,
        `skip (?:the |all |any )?(?:\\S{1,20} ){0,2}(?:tests|suite|benchmarks|hooks|checks)(?=\\W*$|,)`,
        `(?:work|write|edit|operate|search) only (?:in|inside|within|under|below|on|with)\\b`,
        `${ACT} (?:[^\\s,.;!?]{1,30} ){0,5}only (?:after|once|with|when|if) (?:my|i)\\b`,
        `${ACT} nothing\\b|make no (?:\\p{L}{1,20} )?(?:edits|changes|commits|modifications|purchases|bookings|calls|requests|additions|deletions|assumptions)\\b`,
        `let['’]?s not (?:ever )?${ACT}\\b`,
        `i(?:['’]d| would) (?:like|prefer|appreciate)(?: it)?(?: if)? you (?:not|never|didn['’]t|don['’]t|to not|to never|only|always)\\b`,
        `[\\p{L}-]{2,30}ing (?:[^\\s,.;!?]{1,30} ){0,5}?(?:is|are) (?:not|never) (?:allowed|permitted|acceptable|ok|okay|fine)\\b`,
        `it(?:['’]s| is) (?:not|never) (?:ok|okay|allowed|acceptable|permitted|fine) to\\b`,
        `i (?:forbid|prohibit|won['’]t (?:allow|have you|tolerate)|(?:do not|don['’]t) allow)\\b`,
        `we (?:stay|stick|remain) (?:on|with|at) [\\w.+-]{1,30} v?\\d`,
        `nothing (?:in|under|below|inside|from|outside) \\S{1,60} (?:gets?|may|is to be|should|must)\\b`,
        `(?:can|could|would|will) you please (?:not|never|avoid)\\b`,
      ].join('|'),
      'iuy',
    ),
    holds: new RegExp(
      `\\b(?:${[
        `you(?:['’]re| are) (?:only|not) allowed\\b`,
        `(?<!\\bi )(?:needs?|requires?) (?:my|our|(?:an? )?explicit|(?:a )?written) (?:\\p{L}{1,20} )?${MY_WORD}`,
        `only (?:after|with|once you have) my (?:\\p{L}{1,20} )?${MY_WORD}`,
      ].join('|')})`,
      'iu',
    ),
  },
];
