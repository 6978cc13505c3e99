import { anywhere, opening, type BoundWords } from './row.js';

/** Comfort, courtesy and what goes on by itself. */
const COMFORT =
  "(?:(?:t['’]|vous )(?:inquiète|en fai|excuse|fai|prene|énerve|décourage)|hésite|t['’]en fai|sais|marche|fonctionne|comprend|vois|voit)";
const DOINGS =
  '(?:commits?|push|déploiements?|merges?|fusions?|modifications?|changements?|suppressions?|dépendances?|e-?mails?|mails?|messages?|refactos?|refactoring|emojis?|commentaires?|migrations?|mocks?|rebases?|releases?|publications?|achats?|réservations?|envois?|ajouts?|appels?|installations?|bibliothèques?|paquets?|librairies?)';
const ORDER =
  '(?:réponds|répondez|utilise[rz]?|écris|écrivez|lance[rz]?|fais|faites|garde[rz]?|demande[rz]?|vérifie[rz]?|teste[rz]?|parle[rz]?|mets|mettez|relis|relisez|signe[rz]?)';
const WORK =
  '(?:touche|modifie|change|pousse|supprime|déploie|ajoute|fusionne|publie|utilise|envoie|renomme|commit\\p{L}{0,4}|livre|casse|met|merge|efface|installe|écrit)';

export const FR: BoundWords = {
  language: 'fr',
  tells:
    /(?<!\p{L})(?:pourquoi|(?:m['’]|t['’]|nous |lui )(?:a|ont) (?:dit|demandé)|doit pas (?:arriver|se produire)|il (?:ne )?faut (?:pas )?(?:longtemps|du temps|dire que|croire|avouer|compter|\d)|il faut (?:que je|qu['’]on))(?!\p{L})/iu,
  opens: opening(
    `(?:ne |n['’])(?!${COMFORT})[^\\s,.;!?]{1,30} (?:[^\\s,.;!?]{1,30} ){0,3}?(?:pas|jamais|plus|rien|que|qu['’]\\p{L}{1,20}|aucune?|ni|personne)`,
    `(?:ne |n['’])(?:pas|jamais|plus|rien) \\p{L}{2,20}`,
    `(?:jamais|toujours) (?!(?:dernier|premier|cher|hier|hiver)(?!\\p{L}))\\p{L}{2,20}(?:er|ir|re)`,
    `jamais de ${DOINGS}|pas (?:de |d['’])(?:\\p{L}{1,20} )?${DOINGS}(?!.{0,80}(?:depuis|re[çc]u|trouvé|visible|disponible))`,
    `aucune? (?:nouve(?:au|lle)(?! (?:erreur|message|de ))|${DOINGS}(?! (?:re[çc]u|trouvé|visible))|[^\\s,.;!?]{1,30} (?:supplémentaire|externe))`,
    `on ne ${WORK} (?:[^\\s,.;!?]{1,30} )?(?:pas|jamais|plus|rien)`,
    `${ORDER}(?:-(?:moi|nous))? toujours`,
    `(?:demande[rz]?|consulte[rz]?|préviens|prévenez|interroge[rz]?)(?:-(?:moi|nous))?[^.;!?]{0,40} (?:avant|d['’]abord)`,
    `(?:laisse[rz]?|garde[rz]?) [^.;!?]{1,60} (?:tel(?:le)?s? quel(?:le)?s?|tranquilles?|intacte?s?)`,
    `attend(?:s|ez) (?:mon|ma|que je)`,
    `évite[rz]?|utilise[rz]? (?:toujours|uniquement)|veille[rz]? à|assure(?:z-vous|-toi)|garde[rz]?`,
  ),
  holds: anywhere(
    '(?:mais|et) jamais|(?:tu|vous|on) ne [^\\s,.;!?]{1,30} jamais',
    'ne (?:doit|doivent|dois|devez|faut) (?:[^\\s,.;!?]{1,30} )?(?:pas|jamais|plus|rien|être)|ne peu(?:x|t|vent) (?:pas|jamais) (?:dépasser|excéder)',
    "(?<!(?:pour|peur de|fin de) )ne (?:pas|jamais|plus|rien) (?!savoir|pouvoir|voir|oublier)(?:l[ea]s? |l['’]|y |en )?\\p{L}{2,20}(?:er|ir|re)",
    "il (?:ne )?faut(?! (?:pas )?t['’])|tu dois|vous devez|doit (?:toujours|rester)",
    'avant de (?:supprimer|modifier|pousser|déployer)|(?<!(?:accès|erreur) )interdite?s?|uniquement|désormais|au plus|hors de question',
    'sans (?:me )?(?:demander|prévenir|mon (?:accord|aval|autorisation|feu vert)|ma (?:permission|validation))',
    "je (?:ne )?veux pas (?:qu['’]on|que (?:tu|vous)|de |d['’]\\p{L}{2,20})|je (?:te|vous) (?:interdis|défends)",
  ),
};
