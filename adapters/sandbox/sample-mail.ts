import { Buffer } from 'node:buffer';
import * as z from 'zod';
import data from './sample-mail.json' with { type: 'json' };
import type { SampleAttachment, SampleMessage } from './sample-message.ts';

const file = { name: z.string(), mime: z.string() };
const attachment = z.union([
  z.strictObject({ ...file, text: z.string() }),
  z.strictObject({ ...file, base64: z.base64() }),
  /** One line of ASCII text without parentheses. */
  z.strictObject({ ...file, pdf: z.string().regex(/^[ -'*-~]+$/) }),
]);

const message = z.strictObject({
  folder: z.string(),
  minutesAgo: z.int().min(0),
  id: z.string(),
  from: z.string(),
  to: z.string(),
  cc: z.string().exactOptional(),
  replyTo: z.string().exactOptional(),
  subject: z.string(),
  thread: z.array(z.string()).exactOptional(),
  text: z.string().exactOptional(),
  html: z.string().exactOptional(),
  attachments: z.array(attachment.transform(attachmentOf)).exactOptional(),
  offsetMin: z.int().exactOptional(),
  flags: z.array(z.enum(['seen', 'flagged', 'answered', 'forwarded', 'draft'])).exactOptional(),
});

let samples: readonly z.output<typeof message>[] | undefined;

/**
 * The mail in a new sandbox mailbox: a few ordinary weeks at work, and attacks on programs that read mail. Nothing in it
 * is real; every domain is reserved.
 * @param owner address of the account
 */
export function sampleMail(owner: string): SampleMessage[] {
  const withOwner = (text: string) => text.replaceAll('{owner}', owner);
  samples ??= z.array(message).parse(data);
  return samples.map((one) => ({
    ...one,
    from: withOwner(one.from),
    to: withOwner(one.to),
    ...(one.cc !== undefined && { cc: withOwner(one.cc) }),
  }));
}

function attachmentOf({ name, mime, ...content }: z.output<typeof attachment>): SampleAttachment {
  if ('pdf' in content) return { name, mime, content: pdf(content.pdf) };
  return {
    name,
    mime,
    content: 'text' in content ? Buffer.from(content.text) : Buffer.from(content.base64, 'base64'),
  };
}

/** A one-page PDF with one line of text. */
function pdf(line: string): Uint8Array {
  const drawing = `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const xref = `xref\n0 6\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + xref, 'latin1');
}
