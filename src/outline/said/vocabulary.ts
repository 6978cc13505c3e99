/** Words that mean the same act, so that a rule and what lifts it are seen to be about one thing. A line each. */
const ACTS = `
push publish upload pushen pusht gepusht pousser pousse pousses empujar sube subir enviar push推 推送 プッシュ 푸시 пушь пуши пушить пушите запушь запушить
commit check-in committen committe commits commettre confirmar 提交 コミット 커밋 коммит
merge land mergen fusionner fusionar 合并 マージ 병합
delete remove erase drop rm wipe löschen lösche gelöscht supprimer supprime borrar borra eliminar elimina 删除 削除 삭제 удали удаляй удалять удалить
deploy release ship rollout roll-out deployen ausrollen déployer déploie desplegar despliega 部署 デプロイ 배포 деплой деплоить
edit change modify touch alter rewrite update amend ändern ändere anfassen bearbeiten modifier modifie toucher touche changer cambiar cambia modificar modifica tocar toca toques 修改 更改 变更 変更 수정 меняй менять изменяй изменять трогай трогать
install add installieren hinzufügen installer ajouter instalar añadir 安装 添加 追加 추가
run execute ausführen exécuter ejecutar 运行 执行 実行 실행 запускай запускать
use switch adopt verwenden verwende benutzen benutze nutzen nutze utiliser utilise usar usa use utilizar utiliza 使用 改用 使って 사용
write answer reply respond speak schreib schreibe schreiben antworte antworten écrire écris réponds répondre escribe escribir responde responder 写 回答 書 答え
ask confirm fragen frage demander demande preguntar pregunta 询问 問
send email mail schicken senden envoyer envoie mandar 发送 送信
test tests testen tester probar 测试 テスト
format formatieren formater formatear
rename umbenennen renommer renombrar 重命名
create make erstellen créer crear 创建 作成
`;

const GROUPS = new Map<string, string>();
for (const line of ACTS.trim().split('\n')) {
  const words = line.split(' ');
  for (const word of words) GROUPS.set(word, words[0]!);
}

/** Endings that leave an English verb's meaning as it is. */
const ENDING = /(?:ting|ing|ted|ed|es|s|e)$/;

/** What one word says of what a sentence is about. */
export interface Meaning {
  /** The act it names, in one spelling for all that mean it; absent where it names none that is known. */
  readonly act?: string;
  /** Whether it names anything at all. */
  readonly isTelling: boolean;
}

export function meaningOf(word: string): Meaning {
  let meaning = read.get(word);
  if (meaning) return meaning;
  const act = readAct(word);
  meaning = { ...(act !== undefined && { act }), isTelling: isTelling(word) };
  if (read.size >= MOST_READ) read.clear();
  read.set(word, meaning);
  return meaning;
}

/** People say the same words again. Names come from transcripts, so what is kept has a bound. */
const read = new Map<string, Meaning>();
const MOST_READ = 4_000;

function isTelling(word: string): boolean {
  return word.length > 1 && !EMPTY_WORDS.has(word) && /\p{L}/u.test(word);
}

function readAct(word: string): string | undefined {
  const known = GROUPS.get(word);
  if (known !== undefined) return known;
  const stem = word.replace(ENDING, '');
  if (stem.length < 2) return undefined;
  return GROUPS.get(stem) ?? GROUPS.get(`${stem}e`) ?? GROUPS.get(stem.replace(/(.)\1$/, '$1'));
}

/** Acts as they stand in scripts without spaces. */
export const ACTS_INSIDE: readonly (readonly [word: string, act: string])[] = [...GROUPS].filter(([word]) =>
  /[^\p{Script=Latin}\p{Script=Cyrillic}-]/u.test(word),
);

/** Words that say nothing of what a sentence is about. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the this that these those it its them they he she we us you your i me my our mine there here and or but so as at by for from in into of on onto ' +
    'to up down out off over with within is are was were be been being am do does did doing done have has had having will would can could should shall may ' +
    'might must let lets just please kindly only also too very really quite exactly sure make ensure everything anything nothing something all any some ' +
    'each every one ones thing things way time times again already still yet now ok okay alright right well yes yeah yep no nope not never always go ahead ' +
    'fine good great cool nice thanks thank first then next later after before until unless without when whenever while if what which who how why where ' +
    'instead rather actually longer anymore more most least than no-one nobody stop avoid refrain keep feel free allowed forbidden want like need needs ' +
    'needed remember start starte starten begin proceed forget ignore mind say says said so looks look sure encore accord d es noch changed changes part other same new code work stuff ' +
    'der die das den dem des ein eine einen einem einer und oder aber nicht nie niemals immer kein keine keinen nur ohne bitte jetzt doch mal du ihr wir ich ' +
    'es ist sind kannst darfst muss musst mehr zu auf in im an am mit von vom für bis noch ja nein alles etwas ' +
    'le la les un une des du de et ou mais ne pas plus jamais toujours sans maintenant tu vous on je il peux pouvez dois doit à au aux en dans sur avec pour ' +
    'el los las una unos y o pero nunca siempre sin solo ahora puedes debes por favor que con para en al del lo ya sí ' +
    'não sempre agora o os as um uma e da em het de een niet nooit altijd alleen nu je ' +
    'не никогда всегда нельзя только без пожалуйста теперь можно и в на с по к'
  ).split(' '),
);

/** Words of scripts without spaces that say how, not what. */
export const EMPTY_INSIDE =
  /不要再?|别|禁止|请勿|勿|不得|不能|不准|不可|必须|一定要?|现在|現在|好的|好了|可以|不用再?|不必|不再|今后|以后|总是|始终|请|吧|了|的|ないでください|しないで|ください|していい|です|ます|まだ|もう|必ず|絶対に?|常に|今/gu;
