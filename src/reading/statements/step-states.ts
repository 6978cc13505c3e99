const words = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** What agents call a finished step, in the languages that they keep their plans in; without marks around it. */
const DONE = words(
  'x complete completed done finished closed resolved success ' +
    'abgeschlossen erledigt fertig fertiggestellt beendet klaar voltooid afgerond klar färdig slutförd ' +
    'terminé terminée fait faite achevé achevée fini finie complété complétée ' +
    'hecho hecha completado completada terminado terminada finalizado finalizada listo lista ' +
    'feito feita concluído concluída pronto pronta fatto fatta completato completata finito finita ' +
    'zrobione gotowe ukończone zakończone tamamlandı bitti selesai xong ' +
    'готово готов готова выполнено выполнен выполнена завершено завершён завершен завершена сделано виконано ' +
    '完了 完了済み 済み 済 終了 完成 完成了 已完成 完毕 已结束 완료 완료됨 ' +
    'पूर्ण पूरा समाप्त مكتمل مكتملة تم اكتمل منجز',
);
/** Of a step that was given up. */
const GONE = words(
  'cancelled canceled deleted removed skipped dropped abandoned obsolete ' +
    'abgebrochen verworfen gestrichen entfallen übersprungen annulé annulée abandonné abandonnée supprimé ' +
    'cancelado cancelada descartado descartada omitido annullato annullata geannuleerd ' +
    'отменено отменён отменен отменена удалено пропущено 取消 已取消 中止 キャンセル 취소 취소됨 रद्द ملغى ملغاة',
);
/** Stand for the word, or beside it. */
const TICK = /[✅✔☑✓]/u;
const CROSS = /[❌✗✘✖]/u;
/** States are a word or two. */
const LONGEST_CHARS = 40;

/** Whether the agent's own word for the state of a step says that it is finished. */
export function isDone(state: string): boolean {
  const word = wordOf(state);
  return word === '' ? TICK.test(state) && !CROSS.test(state) : DONE.has(word);
}

/** Given up: neither to do nor done. */
export function isGone(state: string): boolean {
  return GONE.has(wordOf(state));
}

/** The letters of a state, in lowercase: `DONE ✅` and `done.` are `done`. */
function wordOf(state: string): string {
  if (state.length > LONGEST_CHARS) return state;
  return state
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
