import { createRedact, SecretBook } from '../../../../../src/text/facts/index.js';
import { LogReader } from '../../../../../src/transcript/index.js';
import { logOf, step, user } from '../logs.js';

const redact = createRedact();

describe('secrets as people say and type them', () => {
  it.each([
    ['Mein Passwort ist Kaffee!2024Haus, nie in Logs schreiben.', 'Kaffee!2024Haus'],
    ['Das Kennwort lautet: Sommer!88xy', 'Sommer!88xy'],
    ['Mon mot de passe est Chouette77!, ne le mets jamais dans le dépôt.', 'Chouette77!'],
    ['Mot de passe : Chouette77!', 'Chouette77!'],
    ['La contraseña es Verano2024!x, nunca la pongas en el código.', 'Verano2024!x'],
    ['A senha é Verao2024x.', 'Verao2024x'],
    ['Wachtwoord is Fiets2024!', 'Fiets2024!'],
    ['Пароль: Zima2023xx, никогда не пиши его в лог.', 'Zima2023xx'],
    ['пароль — Зима2023', 'Зима2023'],
    ['パスワードは Sakura9988 です。', 'Sakura9988'],
    ['パスワードはSakura9988です。', 'Sakura9988'],
    ['密码是 Abc12345xyz，不要泄露。', 'Abc12345xyz'],
    ['密码：Abc12345xyz', 'Abc12345xyz'],
    ['비밀번호는 Abc12345xyz 입니다', 'Abc12345xyz'],
    ['पासवर्ड है Abc12345xyz', 'Abc12345xyz'],
    ['كلمة المرور: Abc12345xyz', 'Abc12345xyz'],
    ['pass: Sommer!77xy', 'Sommer!77xy'],
    ['{"pass": "Sommer!77xy"}', 'Sommer!77xy'],
    ['pw = Regenbogen7!', 'Regenbogen7!'],
    ['login: bob / Tr0ub4dor&3', 'Tr0ub4dor&3'],
    ['sshpass -p Winter2023! ssh -p 2222 host ls', 'Winter2023!'],
    ['sshpass -pWinter2023! ssh host ls', 'Winter2023!'],
    ['docker login -u bob -p D0ckerPw55 registry.example.com', 'D0ckerPw55'],
    ['redis-cli -a R3disPw77 ping', 'R3disPw77'],
    ['mongosh -u root -p Ro0tPw99 db', 'Ro0tPw99'],
    ['htpasswd -b .htpasswd bob Ht99pw', 'Ht99pw'],
    ['echo Winter2023! | sudo -S systemctl restart web', 'Winter2023!'],
    ["echo -n 'Winter2023!' | sudo -k -S true", 'Winter2023!'],
    ['sudo -S ls <<< Winter2023!', 'Winter2023!'],
    ['PGPASSWORD=Pg12pw99 psql -h db -U app', 'Pg12pw99'],
    ['My card is 4111 1111 1111 1111.', '4111 1111 1111 1111'],
    ['card 5555-5555-5555-4444', '5555-5555-5555-4444'],
    ['{"card":"4111111111111111"}', '4111111111111111'],
    ['amex 378282246310005', '378282246310005'],
    ['amex 3782 822463 10005', '3782 822463 10005'],
    ['diners 3056 930902 5904', '3056 930902 5904'],
    ['jcb 3530 1113 3330 0000', '3530 1113 3330 0000'],
    ['maestro 6304 0000 0000 0000 000', '6304 0000 0000 0000 000'],
  ])('takes out of: %s', (line, secret) => {
    const [before, behind] = line.split(secret) as [string, string];
    expect(redact(line)).toMatchObject({ count: 1, secrets: [secret] });
    const { text } = redact(line);
    expect(text).toMatch(/\[(?:password|secret|card number) removed\]/);
    expect(text.startsWith(before) && text.endsWith(behind)).toBe(true);
    expect(redact(text)).toEqual({ text, count: 0, secrets: [] });
    for (const around of [`before\n${line}\nbehind`, JSON.stringify(`before\n${line}\nbehind`)])
      expect(redact(around).text).not.toContain(secret);
  });

  it.each([
    ['the password is required', 'Das Passwort ist erforderlich und muss 8 Zeichen haben'],
    ['Passwort: mindestens 8 Zeichen', 'Das Passwort ist SHA256-gehasht.', 'Das Passwort ist admin'],
    [
      'contraseña: mínimo 8 caracteres',
      'Le mot de passe est 8-20 caractères',
      'пароль должен быть 8 символов',
    ],
    ['パスワードは8文字以上です', '密码是必填项', '密码长度为8-20位', '비밀번호는 8자 이상'],
    ['const senha = getSenha1();', 'пароль = config.pass1', 'Passwort: $PASSWORT1', 'Kennwort: <kennwort1>'],
    ['pass: test_parser_12', 'Pass: test/unit/a1.test.ts', 'pass: ok (12/12)', 'pass 12, fail 0', 'pw = 12'],
    ['compass: N12!abcdE', 'The API takes pass=1&x=2!a'],
    ['login: GET /api/v1/users2', 'login: page / step2form', 'login: bob / role2admin'],
    [
      'ssh -p 2222 host',
      'docker run -p 8080:80 image',
      'psql -p 5432',
      'redis-cli -p 6379',
      'mkdir -p a1/b2',
    ],
    ['docker login -p $TOKEN', 'sshpass -p "$PASS" ssh h', 'sshpass -p <password> ssh h', 'tar -a x9'],
    ['echo hello9 | sudo tee /etc/x', 'echo hello9 | sudo -u bob cat', 'echo password | sudo -S ls'],
    ['call +49 151 2345 6789 01', 'phone 4915123456789', '0049 151 23456789', 'tel 4111 1111 1111'],
    ['id 4503599627370496', 'at 1732388037123', 'snowflake 1234567890123456789', '4111 1111 1111 1112'],
    ['commit 9f8e7d6c5b4a3f2e1d0c9b8a', '4111a111-4111-4111-8111-411111111111', '4111111111111111.5'],
    ['v4.11.11', '2024-11-23 18:59:14', 'ISBN 978-3-16-148410-0', 'DE89 3704 0044 0532 0130 00'],
    ['0x4111111111111111', 'order#4111111111111111', '/4111111111111111/', 'sha 4111111111111111aa'],
    [
      '[4111, 1111, 1111, 1111]',
      '4111 1111 1111 1111 1111 1111',
      '5555 5555 5555 5555',
      'a1-4111-1111-1111-1111',
    ],
    ['Never touch ports 3000 3001 3002 3003.', 'Ports 5000 5001 5002 5003 are taken.'],
  ])('leaves ordinary text alone: %s …', (...lines) => {
    for (const text of lines) expect(redact(text)).toEqual({ text, count: 0, secrets: [] });
  });
});

it('a secret that the user named stays a secret when the user writes it again in other words', () => {
  const log = logOf(
    user('The DB password is hunter2-Blue-Sky9, never print it.'),
    user('Use hunter2-Blue-Sky9 for the staging db too.'),
    step('cat', {}, 'hunter2-Blue-Sky9'),
  );
  const book = new SecretBook(createRedact());
  new LogReader(log, book).catchUp();
  expect(book.redact('Use hunter2-Blue-Sky9 there.')).toBe('Use [secret removed] there.');
});
