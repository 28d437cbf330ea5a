import { plainText } from '../text/plain-text.ts';
import { shortened } from '../text/shortened.ts';
import type { Finding } from './finding.ts';

/**
 * Finds messages that the owner has to see among those that a request archives, deletes or moves: notices about the safety
 * of an account, and questions about a payment. Pure. Reads the subject and the line that the owner sees of each. An
 * estimate: other languages, and notices in unusual words, are not found.
 */
export function removedNotices(
  targets: readonly {
    readonly id: string;
    readonly from: string;
    readonly subject: string;
    readonly preview: string;
  }[],
): Finding[] {
  const found = targets.flatMap(({ id, from, subject, preview }): Finding[] => {
    const what = noticeIn(`${subject}\n${preview}`);
    if (what === undefined) return [];
    const [title, author] = [shortened(subject, NAME_CHARS), shortened(from, NAME_CHARS)];
    const source = { kind: 'message', id, title, author, quoting: null } as const;
    return [{ rule: 'removes_notice', severity: 'red', marks: [], what, source }];
  });
  return found.slice(0, FINDINGS_MAX);
}

const NAME_CHARS = 120;
const FINDINGS_MAX = 10;
/** Subjects can be as long as a book. */
const READ_CHARS = 600;

function noticeIn(text: string): 'security' | 'payment' | undefined {
  const plain = plainText(text.slice(0, READ_CHARS)).toLowerCase();
  const sentences = plain.split(/(?<=[.!?;])\s+|\n/u);
  if (SECURITY.some((pattern) => pattern.test(plain))) return 'security';
  return sentences.some((one) => isPaymentQuestion(one)) ? 'payment' : undefined;
}

/** In plain letters: without accents. */
const SECURITY: readonly RegExp[] = [
  // Somebody signed in. The words that follow may come in either order.
  /\b(?:new|unusual|suspicious|unrecogni[sz]ed|unknown|failed) (?:[a-z-]+ ){0,2}(?:sign-?in|log-?in|login attempt|access to your)/,
  /\b(?:neue|ungewohnliche|verdachtige|unbekannte|fehlgeschlagene)[rs]? (?:[a-z-]+ ){0,2}(?:anmeldung|anmeldeversuch|login|zugriff)/,
  /\b(?:nuevo|nueva|inusual|sospechoso|sospechosa) (?:[a-z-]+ ){0,2}(?:inicio de sesion|acceso a su|acceso a tu)/,
  /\b(?:inicio de sesion|acesso|accesso|connexion|inlogpoging|logowanie|inloggning)(?: [a-z-]+){0,3} (?:nuevo|inusual|sospechoso|suspeito|insolito|sospetto|inhabituelle|suspecte|verdacht|podejrzane|ovanlig)/,
  /\b(?:nouvelle|novo|nova|nuovo|nieuwe|nowe|ny) (?:[a-z-]+ ){0,2}(?:connexion a|inicio de sessao|accesso al|inlog|aanmelding|logowanie|inloggning)/,
  // Mail is sent on, or sorted, by a rule that somebody made.
  /\b(?:auto-?forward(?:ing)?|forwarding)(?: [a-z-]+){0,5} (?:rule|created|added|enabled|set up|turned on|switched on)\b/,
  /\b(?:(?:new|unknown) (?:inbox |mail |e-?mail )?(?:rule|filter)|(?:inbox|mail|e-?mail) (?:rule|filter) (?:[a-z-]+ ){0,3}(?:created|added|changed))\b/,
  /\b(?:mail|messages|e-?mails)(?: [a-z'-]+){0,4} (?:is|are)(?: (?:now|being|also|automatically)){1,3} (?:forwarded|redirected|diverted)\b/,
  /\bforwarding confirmation\b/,
  /\bneue[rs]? (?:[a-z-]+ ){0,2}(?:weiterleitung|umleitung|posteingangsregel|filterregel)/,
  /\b(?:mails?|nachrichten|e-?mails)(?: [a-z-]+){0,3} (?:werden|wird) (?:[a-z-]+ ){0,3}(?:weitergeleitet|umgeleitet)\b/,
  /\b(?:mensajes|messages|messaggi|mensagens|berichten)(?: [a-z-]+){0,3} (?:seran|se|sont|seront|vengono|saranno|sao|serao|worden)(?: [a-z-]+){0,2} (?:reenviados?|reenvian|transferes|rediriges|inoltrati|encaminhadas|doorgestuurd)\b/,
  /\b(?:weiterleitung|weiterleitungsregel|weiterleitungsadresse|posteingangsregel|mailfilter)(?: [a-z-]+){0,5} (?:eingerichtet|erstellt|hinzugefugt|aktiviert|geandert)/,
  /\b(?:reenvio|transfert|inoltro|encaminhamento|doorstuur(?:regel|adres)|przekierowani[ea]|vidarebefordran)\b(?: [a-z-]+){0,5} (?:cread[ao]|anadid[ao]|activad[ao]|nuev[ao]|creee?|ajoutee?|activee?|creat[ao]|aggiunt[ao]|attivat[ao]|criad[ao]|adicionad[ao]|ativad[ao]|aangemaakt|toegevoegd|ingesteld|utworzono|dodano|skapats|lagts)\b/,
  /\b(?:nueva regla de reenvio|nouvelle regle de transfert|nuova regola di inoltro|nova regra de encaminhamento|nieuwe doorstuurregel)\b/,
  // The way in was changed.
  /\b(?:password|passcode|recovery (?:phone|e-?mail|address|contact)(?: address)?|phone number|two-factor|2fa|security settings?)(?: [a-z-]+){0,4} (?:changed|reset|removed|added|disabled|turned off)/,
  /\b(?:password(?! manager)|passcode|recovery (?:phone|e-?mail|address|contact|number|method)(?: (?:address|number))?|passkey|security key|authenticator app|app(?:-specific)? password|(?:two|2)-(?:step|factor)|2fa|mfa|security settings?)(?: [a-z-]+){0,4} (?:changed|updated|replaced|reset|removed|added|created|generated|deleted|disabled|turned off)\b/,
  /\b(?:added|changed|updated|replaced|removed)(?: [a-z-]+){0,3} (?:recovery (?:phone|e-?mail|address|contact|number|method)|passkey|security key|authenticator app|app password)\b/,
  /\b(?:(?:delegate|mailbox) access (?:[a-z-]+ ){0,2}(?:granted|added|given|enabled)|granted (?:[a-z-]+ ){0,3}access to your (?:account|mail|mailbox|inbox|e-?mail))\b/,
  /\bnew (?:passkey|security key|app password) (?:[a-z-]+ ){0,2}(?:on|for|to) your\b/,
  /\b(?:passkey|zwei-faktor|2-faktor|bestatigung in zwei schritten|stellvertreter|zugriff auf ihr postfach)[a-z-]*(?: [a-z-]+){0,4} (?:hinzugefugt|erstellt|entfernt|deaktiviert|ausgeschaltet|gewahrt|erteilt)\b/,
  /\bse ha (?:anadido|agregado|creado|cambiado|modificado|actualizado|eliminado|desactivado|activado|concedido)\b.{0,60}\b(?:contrasena|reenvio|recuperacion|verificacion en dos pasos|clave de acceso|llave de acceso|acceso a su (?:cuenta|correo|buzon))\b/,
  /\b(?:cle d['’]acces|validation en deux etapes|adresse e-?mail de recuperation|numero de recuperation|acces delegue)(?: [a-z-]+){0,4} (?:ajoutee?|modifiee?|supprimee?|desactivee?|accordee?|change|mise? a jour)/,
  /\b(?:indirizzo (?:e-?mail )?di recupero|numero di recupero|verifica in due passaggi|passkey|accesso delegato)(?: [a-z-]+){0,4} (?:aggiunt[ao]|modificat[ao]|cambiat[ao]|rimoss[ao]|disattivat[ao]|concess[ao]|aggiornat[ao])/,
  /\b(?:herstel(?:-?e-?mail)?(?:adres|nummer)?|verificatie in twee stappen|tweestapsverificatie|toegangssleutel|passkey|gemachtigde)(?: [a-z-]+){0,4} (?:gewijzigd|toegevoegd|verwijderd|uitgeschakeld|bijgewerkt)/,
  /\b(?:e-?mail de recuperacao|telefone de recuperacao|verificacao em duas etapas|chave de acesso|acesso delegado)(?: [a-z-]+){0,4} (?:adicionad[ao]|alterad[ao]|removid[ao]|desativad[ao]|concedid[ao]|atualizad[ao])/,
  /\b(?:zmieniono|dodano|usunieto|wy[lł]aczono|zaktualizowano)(?: [\p{L}-]+){0,3} (?:has[lł]o|klucz dostepu|adres odzyskiwania|przekierowanie|weryfikacje dwuetapowa)/u,
  /\b(?:has[lł]o|klucz dostepu|adres odzyskiwania|weryfikacja dwuetapowa)(?: [\p{L}-]+){0,4} (?:zmienion|dodan|usuniet|wy[lł]aczon|zaktualizowan)[a-z]*/u,
  /\b(?:passwort|kennwort|wiederherstellungs(?:adresse|-?e-?mail|nummer)[a-z-]*|telefonnummer|handynummer|sicherheitseinstellungen|zwei-faktor[a-z-]*)(?: [a-z-]+){0,5} (?:geandert|aktualisiert|zuruckgesetzt|entfernt|hinzugefugt|deaktiviert)/,
  /\b(?:contrasena|(?:correo|direccion|telefono) de recuperacion|numero de telefono|verificacion)(?: [a-z-]+){0,4} (?:cambiado|cambiada|modificado|modificada|actualizad[ao]|restablecida|eliminado|desactivada)/,
  /\b(?:mot de passe|adresse de (?:recuperation|secours)|numero de telephone)(?: [a-z-]+){0,4} (?:modifiee?|change|mise? a jour|reinitialise|supprime)/,
  /\b(?:senha|palavra-passe|parola|password|wachtwoord|haslo|losenord(?:et)?)(?: [a-z-]+){0,4} (?:alterada|redefinida|atualizada|modificata|cambiata|aggiornata|reimpostata|gewijzigd|bijgewerkt|zmienione|andrats|uppdaterats)/,
  // The notice says what it is.
  /\b(?:security (?:alert|warning|notice)|sicherheits(?:warnung|hinweis|meldung)|(?:alerta|aviso) de (?:seguridad|seguranca)|alerte de securite|avviso di sicurezza|beveiligingswaarschuwing)\b/,
  /\b(?:if this was not you|if this wasn't you|waren sie das nicht|si no (?:ha sido|fue) usted|si vous n'etes pas a l'origine|se nao foi voce|se non sei stato tu)\b/,
  /\b(?:account|konto|cuenta|compte|conta)(?: [a-z-]+){0,4} (?:locked|suspended|compromised|gesperrt|bloqueada|suspendida|bloque|suspendu|bloqueada)\b/,
];

const PAYMENT =
  /\b(?:payments?|wire transfers?|bank transfers?|bank details|invoices?|zahlung(?:en)?|uberweis[a-z]+|bankverbindung|rechnung|pagos?|transferencias?|facturas?|paiements?|virements?|factures?|pagamentos?|pagament[oi]|bonific[oi]|fatture?|betaling(?:en)?|overboeking|platnosc|przelew|betalning(?:en)?|iban)\b|支払|振込|付款|转账/u;
const QUESTION =
  /\?\s*$|\b(?:question|query|frage|ruckfrage|pregunta|consulta|duda|pergunta|duvida|domanda|vraag|pytanie|fraga|please (?:confirm|authori[sz]e|approve)|bitte (?:bestatigen|freigeben)|por favor (?:confirme|autorice))\b|確認/u;

function isPaymentQuestion(sentence: string): boolean {
  return PAYMENT.test(sentence) && QUESTION.test(sentence);
}
