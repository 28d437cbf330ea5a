// Writes the messages of plan.json that are Nodemailer's: messages.mjs FOLDER.
import { readFileSync, writeFileSync } from 'node:fs';
import MailComposer from 'nodemailer/lib/mail-composer/index.js';

const [folder] = process.argv.slice(2);
const { node } = JSON.parse(readFileSync(`${folder}/plan.json`, 'utf8'));
for (const { name, from, to, subject, text, html, kind, files } of node) {
  const composer = new MailComposer({
    from: { name: from, address: 'sender@example.org' },
    to: { name: to, address: 'reader@example.org' },
    subject,
    ...(kind === 'html' ? {} : { text }),
    ...(kind === 'plain' ? {} : { html }),
    attachments: files.map((filename) => ({ filename, content: 'a;b\n1;2\n', contentType: 'text/csv' })),
  });
  writeFileSync(`${folder}/${name}`, await composer.compile().build());
}
