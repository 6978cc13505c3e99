import { anywhere, opening, type BoundWords } from './row.js';

/** Of the second person, and no orders. */
const TOLD =
  '(?:sabes|tienes|puedes|quieres|eres|estas|estás|ves|entiendes|crees|has|vas|haces|dices|debes|preocupes|asustes|rindas|olvides|molestes|enfades|sientas|desesperes|pierdas|dudes|vienes|sales|pones|llegas|sirves|mes|veces|antes|después|es|más|además|das|tres|las|unas|todas|algunas|otras|poder|saber|ser|haber|ver|entender|mujer|ayer)';
const ORDER = `(?!${TOLD}(?!\\p{L}))\\p{L}{2,20}(?:es|as|éis|áis|ar|er|ir)`;
/** Of several persons, and of “usted”. */
const FORMAL =
  '(?:hagan?|suban?|borren?|toquen?|usen?|cambien?|modifiquen?|editen?|eliminen?|envíen?|agreguen?|añadan?|publiquen?|reinicien?|instalen?|desplieguen?)';
const IT = '(?:(?:me|te|se|nos|lo|la|los|las|le|les) ){0,2}';
const ARTICLE =
  '(?=.*(?:(?<!\\p{L})(?:el|la|los|las|un|una|de|del|al|que|por|con|nada|ni|este|esta|tus?|sus?|mis?|lo|se|sin)(?!\\p{L})|[áéíóúñ¡¿]))';
const DOINGS =
  '(?:commits?|push(?:es)?|cambios?|despliegues?|dependencias?|correos?|mensajes?|refactor(?:es|izaciones)?|emojis?|comentarios?|migraciones|mocks?|merges?|rebases?|compras?|reservas?|paquetes?|librerías?|bibliotecas?|publicaciones)';

export const ES: BoundWords = {
  language: 'es',
  tells:
    /(?<!\p{L})(?:(?:me|nos|le) (?:dijo|dijeron|pidió)|dijo que|dice que|por qué|no (?:hay|tienes|tiene) que preocup\p{L}{1,6}|no te preocupes)(?!\p{L})/iu,
  opens: opening(
    `no (?=${IT}${ORDER}(?!\\p{L}))${ARTICLE}${IT}\\p{L}{2,20}`,
    `no (?:toques|borres|uses|cambies|hagas|modifiques|subas|edites|elimines|agregues|${FORMAL})`,
    `(?:nunca|jamás) ${IT}(?:${ORDER}|${FORMAL})`,
    `(?:que )?(?:no|ni) (?:se te|se os|se le) ocurra`,
    `no quiero (?:que(?! (?:te|se|sufras|pienses))|nada de|ning[uú]n\\p{L}{0,2}|más ${DOINGS})`,
    `(?:pregúnta|consúlta|avísa|pregunta|consulta|avisa|pregúnten?|consúlten?)(?:me|nos| conmigo)?[^.;!?]{0,40} (?:antes|primero)`,
    `(?:responde|contesta|usa|utiliza|escribe|haz|ejecuta|lanza|revisa|comprueba|pide|pregunta|firma|añade|incluye|mantén|guarda)(?:me|nos|le)? siempre`,
    `nada de ${DOINGS}|ning[uú]na? (?:nuev[oa]|${DOINGS}(?! (?:recibid|encontrad)[oa]))`,
    `(?:deja|deje|dejad|dejen) [^.;!?]{1,60} (?:como est(?:á|án|aba|aban)|tal cual|en paz|intact[oa]s?)`,
    `esper[ae] (?:mi|a que yo|hasta que yo)`,
    `evita|us[ae] (?:siempre|s[oó]lo|únicamente)|prefiero que`,
  ),
  holds: anywhere(
    `(?:y|pero|ni) (?:nunca|jamás) ${IT}(?:${ORDER}|${FORMAL})`,
    'a partir de ahora|de ahora en adelante|sin excepciones|s[oó]lo puedes|siempre (?:usa|que|debes)|prohibid[oa]s?|hay que|no debes?|debes? (?:siempre|usar|mantener)|como máximo|únicamente|asegúrate',
    'sin (?:preguntar(?:me)?|consultarme|mi (?:permiso|visto bueno|aprobación|autorización|consentimiento))',
  ),
};
