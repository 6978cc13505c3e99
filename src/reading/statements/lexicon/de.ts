import { anywhere, opening, type BoundWords } from './row.js';

/** Orders of a program's work; an order has no person before it. */
const ORDER =
  '(?:fass|ändere|verändere?|lösche?|entferne?|pushe?|merge|committe|commite|deploye?|schreibe?|sende|schicke?|verschicke?|mache?|nutze?|verwende|benutze?|nimm|füge|lege?|erstelle?|installiere|rühre?|berühre|verschiebe?|starte|veröffentliche|überschreibe?|bearbeite|baue?|antworte|rede|kontaktiere|bestelle|buche?|bezahle?|kaufe?|benenne|refactore|refaktoriere|aktualisiere|gib|lass|arbeite|bleibe?|halte?|rufe?|führe?|stelle?|setze?|mocke|logge|speichere|rebase|öffne|schließe?|zeige?|teile?|kopiere|importiere|erfinde|behaupte|formatiere|\\p{L}{2,20}en sie)';
const NOT =
  '(?:nicht|nichts|keine?[nmrs]?|niemals|nie|nur|ausschließlich|immer(?! (?:weiter|noch|wieder|mehr))|stets)';
/** What an agent makes, sends or changes: of other things, “keine” says that there are none. */
const DOINGS =
  '(?:commits?|pushe?s?|force-?pushe?s|deploy(?:ment)?s?|releases?|merges?|rebases?|änderung(?:en)?|umbenennung(?:en)?|löschung(?:en)?|e?-?mails?|nachrichten|abhängigkeit(?:en)?|pakete?|bibliotheken|dependencies|migration(?:en)?|refactorings?|emojis?|kommentare|mocks?|buchung(?:en)?|bestellung(?:en)?|käufe|anrufe|alleingänge|anglizismen)';
const MY_WORD = '(?:okay|ok|freigabe|zustimmung|erlaubnis|genehmigung|einverständnis|wissen|go|grünes licht)';

export const DE: BoundWords = {
  language: 'de',
  tells:
    /(?<!\p{L})(?:(?:darf|kann) (?:doch |ja |eigentlich )?nicht (?:passieren|sein|wahr|vorkommen)|mach(?:t|en sie)? (?:dir|euch|sich) (?:nur |bloß |da )?kein\p{L}{0,3}|frage? mich nicht|warum|wieso|weshalb)(?!\p{L})/iu,
  opens: opening(
    `(?:bitte )?${ORDER}(?! (?:ich|wir|er|es)(?!\\p{L}))(?: [^\\s,.;!?]{1,30}){0,7}? ${NOT}`,
    `(?:bitte )?keine?n? (?:\\p{L}{1,20} )?${DOINGS}(?!.{0,80}(?:gefunden|gelaufen|vorhanden|bekommen|erhalten|gesehen|nötig|übrig|gekommen|da)\\W*$)`,
    `(?:bitte )?keine?n?[rsm]? (?:neue|weitere|externe)[nrsm]?`,
    `(?:bitte )?(?:niemals|nie(?! (?:wieder was|gehört|gesehen|im leben|gedacht)))`,
    `(?:bitte )?nichts? (?!zu )(?:[^\\s,.;!?]{1,30} ){0,6}?(?!(?:vergessen|verzagen|aufgeben|erschrecken|wundern|ärgern|ge\\p{L}{1,20})(?!\\p{L}))\\p{L}{2,20}en(?=\\W*$|, bevor)`,
    `(?:finger|hände) weg`,
    `(?:bitte )?frage?(?:n sie)? (?:[^\\s,.;!?]{1,30},? ){0,5}?(?:bevor|vorher|zuerst|erst)`,
    `(?:bitte )?(?:nimm|nutze|verwende|benutze) [^.;!?]{1,60} (?:statt|anstatt|anstelle|überall)`,
    `(?:bitte )?lass (?:die finger|[^.;!?]{1,60} (?:in ruhe|unangetastet|unverändert|wie (?:es|sie|er)|stehen))`,
    `(?:bitte )?(?:bleib (?:bei|auf|in|innerhalb)|halte? dich|achte darauf|stelle? sicher)`,
  ),
  holds: anywhere(
    'niemals',
    `(?:darfst|dürfen sie|sie dürfen|sollst|sollen sie) (?:[^\\s,.;!?]{1,30} ){0,6}?(?:nicht|nichts|nur|nie|keine?[nmrs]?|erst|maximal|höchstens|auf keinen fall)`,
    '(?<!(?:ich|wir) )(?:dürfen nicht|darf nicht|darf nur)',
    'auf keinen fall|keinesfalls|verboten|tabu|ausschließlich|ab jetzt|von jetzt an|ab sofort|nur noch|höchstens',
    '(?<!nicht )unbedingt',
    'bitte (?:\\S{1,40} ){0,3}(?:nicht|nie|kein\\p{L}{0,3}|noch nicht|nur)',
    'muss (?:immer|stets|zwingend)|müssen (?:immer|stets)|immer (?:erst|zuerst|vorher)',
    `ohne (?:zu fragen|rücksprache|mich (?:vorher |erst )?zu fragen|(?:meine?n? |ausdrückliche ){0,2}${MY_WORD})`,
    'nicht (?:erlaubt|gestattet)|grundsätzlich',
    '(?<!(?:fehler|problem|ergebnis|bild) )bleib(?:t|en) (?:unverändert|unangetastet|so, wie|wie (?:sie|er|es) (?:ist|sind))',
    'ich (?:will|möchte) nicht, dass (?:du|sie|ihr|jemand|etwas|irgend\\p{L}{1,10})',
  ),
};
