/**
 * What ordinary messages and their replies say, by language. Placeholders: `{day}`, `{time}`, `{amount}`, `{number}` (of
 * an order or invoice), `{count}` of copies or `{people}`, and of the sender `{phone}`, `{link}`, `{iban}` and `{desk}` (a second address).
 */
export interface Language {
  readonly code: string;
  readonly surnames: readonly string[];
  readonly names: readonly string[];
  /** `{name}` is the one who is greeted. */
  readonly hello: readonly string[];
  readonly bye: readonly string[];
  /** Above a quoted text. `{name}` wrote it. */
  readonly wrote: string;
  readonly exchanges: readonly Exchange[];
}

/** The subject and text of a message, and the text of an honest reply. */
export type Exchange = readonly [subject: string, message: string, reply: string];

export const LANGUAGES: readonly Language[] = [
  {
    code: 'en',
    names: ['Grace', 'Owen', 'Amira', 'Callum', 'Beth', 'Ravi'],
    surnames: ['Whitaker', 'Osei', 'Pritchard', 'Malik', 'Doyle'],
    hello: ['Hi {name},', 'Dear {name},', 'Hello {name},'],
    bye: ['Best regards', 'Thanks', 'Cheers', 'Kind regards'],
    wrote: '{name} wrote:',
    exchanges: [
      [
        'Meeting on {day}',
        'would {day} at {time} suit you? If not, call me on {phone}.',
        '{day} at {time} is fine. If something comes up, I call {phone}.',
      ],
      [
        'Invoice {number}',
        'please find below invoice {number} for {amount} EUR. Our account is {iban}.',
        'I have just paid {amount} EUR for invoice {number} to {iban}.',
      ],
      [
        'Your order {number}',
        'your order is ready. You can follow it at {link}. Questions go to {desk}.',
        'thank you. The page {link} says "in transit" since yesterday. Shall I write to {desk}?',
      ],
      [
        'Offer for {count} copies',
        '{count} copies would cost {amount} EUR, delivery included. The offer is valid until {day}.',
        'I accept: {count} copies for {amount} EUR, delivered before {day}.',
      ],
      [
        'Draft for your comments',
        'I put the draft at {link}. Could you look at pages 3 to 5 before {day}?',
        'I read pages 3 to 5 at {link}. Only the headline on page 4 is too long for me.',
      ],
      [
        'Can you make it on {day}?',
        'we are {people} people so far, and the table is booked for {time}. Are you coming?',
        'yes, with pleasure. So we are {people} and me, at {time}.',
      ],
      [
        'Job advertisement',
        'I saw that you are looking for a designer. My work is at {link}. May I send my papers to you?',
        'yes, please send them to me. I liked the second poster at {link}.',
      ],
    ],
  },
  {
    code: 'de',
    names: ['Heike', 'Jörg', 'Svenja', 'Matthias', 'Ulrike', 'Kemal'],
    surnames: ['Brinkmann', 'Öztürk', 'Lehmann', 'Vogt', 'Schäfer'],
    hello: ['Hallo {name},', 'Guten Tag {name},', 'Moin {name},'],
    bye: ['Viele Grüße', 'Mit freundlichen Grüßen', 'Beste Grüße', 'Bis bald'],
    wrote: '{name} schrieb:',
    exchanges: [
      [
        'Termin am {day}',
        'passt Ihnen der {day} um {time} Uhr? Sonst erreichen Sie mich unter {phone}.',
        'der {day} um {time} Uhr passt gut. Ihre Nummer {phone} habe ich notiert.',
      ],
      [
        'Rechnung {number}',
        'wir bitten um Überweisung von {amount} EUR für die Rechnung {number} auf {iban}.',
        'die {amount} EUR zur Rechnung {number} sind heute an {iban} gegangen.',
      ],
      [
        'Lieferung {number}',
        'Ihre Lieferung kommt am {day}. Den Stand sehen Sie unter {link}, Fragen beantwortet {desk}.',
        'am {day} ist leider niemand da. Unter {link} kann ich den Tag nicht ändern. Geht auch ein anderer?',
      ],
      [
        'Angebot über {count} Stück',
        'für {count} Stück berechnen wir {amount} EUR netto. Das Angebot gilt bis {day}.',
        'wir nehmen das Angebot an: {count} Stück zu {amount} EUR netto.',
      ],
      [
        'Korrekturfahne',
        'die Fahne liegt unter {link}. Bitte geben Sie sie bis {day} frei.',
        'die Fahne unter {link} ist frei. Auf Seite 2 bitte noch den Bindestrich streichen.',
      ],
      [
        'Elternabend am {day}',
        'der Elternabend beginnt um {time} Uhr. Bitte geben Sie Bescheid, ob Sie kommen.',
        'wir kommen zu zweit um {time} Uhr.',
      ],
      [
        'Ihre Anmeldung zum Kurs',
        'im Kurs sind noch {people} Plätze frei, die Gebühr beträgt {amount} EUR. Möchten Sie einen?',
        'ja, bitte reservieren Sie einen der {people} Plätze. Die {amount} EUR zahle ich vor Ort.',
      ],
    ],
  },
  {
    code: 'fr',
    names: ['Élodie', 'Thibault', 'Nadège', 'Yannick', 'Aïcha'],
    surnames: ['Lefèvre', 'Garnier', 'Benali', 'Rousseau', 'Guérin'],
    hello: ['Bonjour {name},', 'Cher {name},', 'Madame, Monsieur,'],
    bye: ['Cordialement', 'Bien à vous', 'Merci et à bientôt'],
    wrote: '{name} a écrit :',
    exchanges: [
      [
        'Rendez-vous du {day}',
        'êtes-vous libre le {day} à {time} ? Mon numéro est le {phone}.',
        'le {day} à {time} me convient. Je vous appelle au {phone} si je suis en retard.',
      ],
      [
        'Facture {number}',
        'veuillez régler la facture {number} de {amount} € sur le compte {iban}.',
        'la facture {number} est réglée : {amount} € sur {iban}.',
      ],
      [
        'Devis pour {count} affiches',
        'pour {count} affiches, nous proposons {amount} € hors taxes, livraison le {day}.',
        'c’est d’accord pour {count} affiches à {amount} €, à livrer le {day}.',
      ],
      [
        'Votre commande {number}',
        'votre commande est partie. Suivi : {link}. Pour toute question : {desk}.',
        'merci. La page {link} ne s’ouvre pas chez moi, pouvez-vous vérifier ?',
      ],
      [
        'Photos de la fête',
        'les photos sont ici : {link}. Dites-moi lesquelles vous voulez en grand.',
        'j’ai regardé {link}. La 7 et la 12, s’il vous plaît.',
      ],
    ],
  },
  {
    code: 'es',
    names: ['Itziar', 'Álvaro', 'Begoña', 'Rubén', 'Nuria'],
    surnames: ['Echeverría', 'Muñoz', 'Cano', 'Peña', 'Serrano'],
    hello: ['Hola, {name}:', 'Buenos días, {name}:', 'Estimado {name}:'],
    bye: ['Un saludo', 'Muchas gracias', 'Saludos cordiales'],
    wrote: '{name} escribió:',
    exchanges: [
      [
        'Cita del {day}',
        '¿le viene bien el {day} a las {time}? Mi teléfono es el {phone}.',
        'sí, el {day} a las {time}. Guardo el {phone} por si acaso.',
      ],
      [
        'Factura {number}',
        'le adjunto los datos: {amount} € por la factura {number}, cuenta {iban}.',
        'hecho: {amount} € de la factura {number} a {iban}.',
      ],
      [
        'Presupuesto para {count} ejemplares',
        '{count} ejemplares cuestan {amount} € con envío. Válido hasta el {day}.',
        'aceptamos los {count} ejemplares por {amount} €.',
      ],
      [
        'Pedido {number}',
        'su pedido ha salido. Puede verlo en {link} o escribir a {desk}.',
        'gracias. Según {link} llega mañana. No hace falta que escriba a {desk}, ¿verdad?',
      ],
      [
        'Excursión del {day}',
        'salimos a las {time} y ya somos {people}. ¿Se apunta?',
        'me apunto. A las {time} estoy allí.',
      ],
    ],
  },
  {
    code: 'it',
    names: ['Chiara', 'Davide', 'Ginevra', 'Niccolò', 'Silvia'],
    surnames: ['Bellini', 'Ferrari', 'De Luca', 'Galli', 'Marchetti'],
    hello: ['Buongiorno {name},', 'Ciao {name},', 'Gentile {name},'],
    bye: ['Cordiali saluti', 'Grazie', 'A presto'],
    wrote: '{name} ha scritto:',
    exchanges: [
      [
        'Appuntamento del {day}',
        'va bene il {day} alle {time}? Il mio numero è {phone}.',
        'il {day} alle {time} va benissimo. La chiamo al {phone} quando arrivo.',
      ],
      [
        'Fattura {number}',
        'attendiamo {amount} € per la fattura {number} sul conto {iban}.',
        'ho pagato {amount} € per la fattura {number} su {iban}.',
      ],
      [
        'Bozza del menu',
        'la bozza è su {link}. Mi dica entro il {day} se la carta va bene.',
        'la bozza su {link} mi piace. La carta può essere un poco più pesante.',
      ],
      [
        'Prenotazione per {people}',
        'confermo il tavolo per {people} alle {time}. Per modifiche: {desk}.',
        'grazie. Restiamo {people}, alle {time}.',
      ],
    ],
  },
  {
    code: 'nl',
    names: ['Marloes', 'Thijs', 'Anouk', 'Ruben', 'Fenna'],
    surnames: ['van Dijk', 'Hoekstra', 'de Wit', 'Mulder', 'Kuipers'],
    hello: ['Beste {name},', 'Hoi {name},', 'Goedemiddag {name},'],
    bye: ['Met vriendelijke groet', 'Groeten', 'Alvast bedankt'],
    wrote: '{name} schreef:',
    exchanges: [
      [
        'Afspraak {day}',
        'schikt {day} om {time} uur? Je kunt me bellen op {phone}.',
        '{day} om {time} uur is prima. Anders bel ik {phone}.',
      ],
      [
        'Factuur {number}',
        'graag {amount} euro voor factuur {number} overmaken naar {iban}.',
        'factuur {number} is betaald: {amount} euro naar {iban}.',
      ],
      [
        'Bestelling {number}',
        'uw bestelling ligt klaar, zie {link}. Vragen? Mail {desk}.',
        'dank u. Volgens {link} kan ik hem vrijdag halen. Klopt dat?',
      ],
      [
        'Verjaardag op {day}',
        'we beginnen om {time} uur met {people} mensen. Kom je ook?',
        'leuk! Ik kom om {time} uur en neem taart mee.',
      ],
    ],
  },
  {
    code: 'pl',
    names: ['Agnieszka', 'Łukasz', 'Małgorzata', 'Paweł'],
    surnames: ['Wiśniewska', 'Zieliński', 'Wójcik', 'Dąbrowski'],
    hello: ['Dzień dobry,', 'Szanowny Panie,', 'Cześć {name},'],
    bye: ['Pozdrawiam', 'Z poważaniem', 'Dziękuję'],
    wrote: '{name} pisze:',
    exchanges: [
      [
        'Spotkanie {day}',
        'czy pasuje Panu {day} o {time}? Mój numer: {phone}.',
        '{day} o {time} pasuje. W razie czego dzwonię pod {phone}.',
      ],
      [
        'Faktura {number}',
        'proszę o przelew {amount} zł za fakturę {number} na konto {iban}.',
        'przelałem {amount} zł za fakturę {number} na {iban}.',
      ],
      [
        'Zamówienie {number}',
        'paczka jest w drodze: {link}. Pytania proszę kierować na {desk}.',
        'dziękuję, na {link} widzę, że paczka będzie jutro.',
      ],
    ],
  },
  {
    code: 'pt',
    names: ['Inês', 'Gonçalo', 'Beatriz', 'João'],
    surnames: ['Carvalho', 'Magalhães', 'Brandão', 'Simões'],
    hello: ['Olá {name},', 'Bom dia {name},', 'Caro {name},'],
    bye: ['Cumprimentos', 'Obrigada', 'Um abraço'],
    wrote: '{name} escreveu:',
    exchanges: [
      [
        'Visita no dia {day}',
        'podemos ir no dia {day} às {time}? O meu telefone é {phone}.',
        'sim, no dia {day} às {time}. Se houver atraso, ligo para {phone}.',
      ],
      [
        'Fatura {number}',
        'a fatura {number} é de {amount} €, a pagar para {iban}.',
        'está paga: {amount} € para {iban}, fatura {number}.',
      ],
      [
        'Provas do livro',
        'as provas estão em {link}. Precisamos da resposta até {day}.',
        'vi as provas em {link}. Pode imprimir.',
      ],
    ],
  },
  {
    code: 'sv',
    names: ['Ingrid', 'Åke', 'Linnéa', 'Björn'],
    surnames: ['Ekström', 'Sjöberg', 'Nyström', 'Håkansson'],
    hello: ['Hej {name},', 'Hej!', 'Bäste {name},'],
    bye: ['Vänliga hälsningar', 'Hälsningar', 'Tack på förhand'],
    wrote: '{name} skrev:',
    exchanges: [
      [
        'Möte {day}',
        'passar {day} klockan {time}? Ring mig annars på {phone}.',
        '{day} klockan {time} går bra. Jag ringer {phone} om jag blir sen.',
      ],
      [
        'Faktura {number}',
        'vänligen betala {amount} kr för faktura {number} till {iban}.',
        'faktura {number} är betald, {amount} kr till {iban}.',
      ],
      [
        'Offert på {count} ex',
        '{count} ex kostar {amount} kr med frakt. Offerten gäller till {day}.',
        'vi tar {count} ex för {amount} kr.',
      ],
    ],
  },
  {
    code: 'ja',
    names: ['美咲', '大輔', '直樹', '由美'],
    surnames: ['田中', '小林', '渡辺', '中村'],
    hello: ['{name}様', 'お世話になっております。'],
    bye: ['よろしくお願いいたします。', '敬具'],
    wrote: '{name} さんは書きました：',
    exchanges: [
      [
        '{day}の打ち合わせ',
        '{day}の{time}はいかがでしょうか。電話は{phone}です。',
        '{day}の{time}で大丈夫です。何かあれば{phone}にお電話します。',
      ],
      [
        'お見積り {number}',
        '{count}部で{amount}円です。{day}まで有効です。',
        '{count}部、{amount}円でお願いします。',
      ],
      [
        '校正のご確認',
        '校正は{link}にあります。ご質問は{desk}までお願いします。',
        '{link}の校正を確認しました。このまま印刷してください。',
      ],
    ],
  },
];
