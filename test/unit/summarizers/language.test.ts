import { languageOf } from '../../../src/summarizers/index.js';
import type { LogMessage, Origin } from '../../../src/transcript/index.js';

const said = (text: string, origin: Origin = 'user'): LogMessage => ({
  id: text,
  seq: 0,
  role: 'user',
  origin,
  parts: [{ type: 'text', text }],
  size: { tokens: 0, bytes: 0, images: 0, parts: [] },
});

describe('the language that the user writes in', () => {
  it.each([
    ['English', 'Please fix the failing test, and do not touch the config. It should pass on all platforms.'],
    ['German', 'Bitte räume den Dienst auf und ändere nicht die Schnittstelle. Die Tests sind noch rot.'],
    [
      'French',
      'Corrige les tests, et ne touche pas à la configuration. Je veux une solution simple pour ce module.',
    ],
    [
      'Spanish',
      'Arregla las pruebas y no toques la configuración. Es para el módulo de pagos, pero sin prisa.',
    ],
    [
      'Portuguese',
      'Corrija os testes e não mude a configuração. É para o módulo de pagamentos, mas sem pressa.',
    ],
    [
      'Italian',
      'Correggi i test e non toccare la configurazione. È per il modulo dei pagamenti, ma senza fretta.',
    ],
    [
      'Dutch',
      'Maak de tests weer groen en verander niet de configuratie. Het is voor de module van betalingen.',
    ],
    [
      'Polish',
      'Napraw testy i nie zmieniaj konfiguracji. To jest moduł płatności, ale już nie działa od wczoraj.',
    ],
    [
      'Swedish',
      'Laga testerna och ändra inte på filen. Det är en modul för betalning, men jag har ont om tid.',
    ],
    ['Turkish', 'Lütfen testleri düzelt ve bu dosyayı değiştirme. Ödeme için bir modül var ama çok yavaş.'],
    ['Russian', 'Исправь тесты и не меняй конфигурацию. Это модуль оплаты, но он уже не работает.'],
    ['Ukrainian', 'Виправ тести і не змінюй конфігурацію, будь ласка.'],
    ['Chinese', '请修复 UserService.java 里的测试，不要改动 config.yaml。'],
    ['Japanese', 'テストを直してください。設定ファイルは変更しないでください。'],
    ['Korean', '테스트를 고쳐 주세요. 설정 파일은 바꾸지 마세요.'],
    ['Arabic', 'أصلح الاختبارات ولا تغيّر الإعدادات'],
    ['Greek', 'Διόρθωσε τα τεστ και μην αλλάξεις τις ρυθμίσεις'],
    ['Hindi', 'कृपया परीक्षण ठीक करें और सेटिंग न बदलें'],
  ])('is %s', (language, text) => {
    expect(languageOf([said(text)])).toBe(language);
  });

  it.each([
    ['a bare word', 'ok'],
    ['nothing', ''],
    ['numbers and options', '1, 2b, 3'],
    ['code', '```\nfor (const it of that) if (is(not)) return the(and, to, of);\n```'],
    ['paths', 'src/the/and.ts lib/is/of.js test/not/to.py'],
    ['a name', 'Kubernetes'],
  ])('is not guessed from %s', (_, text) => {
    expect(languageOf([said(text)])).toBeUndefined();
  });

  it('is not told by what programs say in the user’s place', () => {
    expect(
      languageOf([said('This is the reminder that you should not forget the list.', 'synthetic')]),
    ).toBeUndefined();
  });

  it('is the user’s own where English code and logs are pasted below it', () => {
    const log = 'Error: the file is not in the list of those that we have to read for you. '.repeat(60);
    const text =
      'Warum ist der Dienst noch nicht oben? Bitte sieh dir das an, und ändere nichts an der Datenbank. ';
    expect(
      languageOf([said(`${text.repeat(5)}\n${log}`), said('Und was ist mit dem Rest? Das muss auch noch.')]),
    ).toBe('German');
  });
});
