import { anywhere, opening, type BoundWords } from './row.js';

/** Letters with their marks: a word of Devanagari. */
const WORD = '[\\p{L}\\p{M}]{1,30}';
const HI_ORDER =
  '(?:दो|दें|देना|दीजिए|करो|करें|करना|कीजिए|लिखो|लिखें|लिखना|रखो|रखें|रखना|चलाओ|चलाएं|चलाना|पूछो|पूछें|पूछना|लेना|लो|लें|बदलो|बदलें|बनाओ|बनाएं)';

export const HI: BoundWords = {
  language: 'hi',
  needs: /\p{Script=Devanagari}/u,
  tells: /(?<![\p{L}\p{M}])(?:क्यों|मुझे नहीं|(?:चिंता|फ़िक्र|फिक्र|परेशान|हार|बुरा) (?:मत|न|ना))(?![\p{L}\p{M}])/u,
  holds: anywhere(
    `मत ${WORD}|(?:न|ना) ${WORD}(?:ें|एं|एँ|ना|ो|िए|इए)`,
    `कभी (?:भी )?(?:मत|न)|किसी भी हालत में|मना है|मनाही है|वर्जित है`,
    `(?:हमेशा|केवल|सिर्फ़|सिर्फ) [^।?!]{1,60}${HI_ORDER}(?=[\\s।!.]{0,3}$)`,
    `से पहले (?:[^\\s।,]{1,20} ){0,3}?(?:पूछ|बता|अनुमति|इजाज़त|पुष्टि)[\\p{L}\\p{M}]{0,6}`,
    `(?:मेरी|मेरे) (?:${WORD} )?(?:अनुमति|इजाज़त|मंज़ूरी|मंजूरी|सहमति) के बिना|(?:मुझसे )?(?:बिना पूछे|पूछे बिना)`,
    `नहीं ${WORD}न[ाेी] (?:है|हैं)(?=[\\s।!.]{0,3}$)`,
  ),
};

/** “She does not”, “it is not there”, comfort: no orders, though they begin like one. */
const AR_TOLD =
  '(?:توجد|تعمل|تظهر|تزال|تكفي|تفتح|تقلق|تحزن|تخف|تنس|تيأس|تستجيب|تدعم|تتوفر|تحتوي|تستطيع|تهتم|تتردد|تعرف|تفهم|تريد|تبدو|تحدث|تقبل|تشتغل|تمر|تنجح|تهم|تعني|تتعلق|تملك|تتجاوب|تصل|تكون|تستسلم)';
const AR_ORDER =
  '(?:أجب|اجب|استخدم|استعمل|اكتب|اسأل|تأكد|شغل|شغّل|اختبر|رد|احفظ|راجع|ابق|التزم|اجعل|أضف|ضع|نفذ|اعمل|عدل|عدّل)';
const AR_MINE = '(?:إذني|اذني|موافقتي|علمي|سؤالي|تأكيدي|أن تسألني|إذن مني|الرجوع إلي|أن أوافق|أن أراجع)';

export const AR: BoundWords = {
  language: 'ar',
  needs: /\p{Script=Arabic}/u,
  tells: /(?<!\p{L})(?:لماذا|لِماذا|ليش)(?!\p{L})/u,
  opens: opening(`(?:(?:رجاء|رجاءً|من فضلك|لطفا|لكن|أرجوك)[،,]? )?و?لا (?!${AR_TOLD}(?!\\p{L}))ت\\p{L}{1,20}`),
  holds: anywhere(
    'ممنوع|يمنع|يُمنع|محظور|يحظر|لا يجوز|لا يسمح|لا يُسمح|إياك|حذار|لا أريدك أن|لا أريد أن ت\\p{L}{1,20}|يجب (?:أن|ألا|عدم)',
    `${AR_ORDER}\\p{L}{0,3} (?:[^\\s،.!]{1,30} ){0,5}?(?:دائم[اًا]{1,3}|فقط)|دائم[اًا]{1,3} ${AR_ORDER}\\p{L}{0,3}`,
    'اسأل(?:ني|نا) (?:[^\\s،.!]{1,20} ){0,2}?قبل|استأذن(?:ي|ني)?|راجعني قبل',
    `(?:بدون|دون|من دون|قبل|بلا) ${AR_MINE}`,
  ),
};

export const OTHERS: readonly BoundWords[] = [
  {
    language: 'pt, it, nl, sv, pl, tr, fi',
    holds: anywhere(
      'nunca (?:use|altere|apague|delete|remova|mude|faça|envie|toque|commite|publique|exclua|modifique|edite|adicione|crie|\\p{L}{2,20}(?:ar|er|ir))',
      'daqui (?:pra|para) (?:a )?frente|tem que|não (?:deves?|pode[ms]?|use|altere|apague)|somente|proibido|sempre que',
      'mai (?:\\p{L}{1,20}re|usare)|non (?:devi|usare|toccare|modificare)|vietato',
      'nooit|niet (?:aan|doen|wijzigen)|mag niet|moet altijd|får (?:inte|aldrig)|rör inte|aldrig',
      'nigdy|nie (?:wolno|zmieniaj|usuwaj|rób)|zawsze|zabronione|asla|sakın|yapma|dokunma|yasak|älä|ei saa|aina',
    ),
  },
  {
    language: 'he, vi, el',
    holds: /אסור|לעולם לא|תמיד|đừng|không được|luôn luôn|chỉ được|ποτέ|μην |πάντα|απαγορεύεται/u,
  },
];
