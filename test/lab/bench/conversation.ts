import { addressOf } from '../../servers/mail-users.ts';
import type { Letter } from './maildir.ts';

/** Each message references the first and the few right before it, as mail programs do. */
export function conversation(user: string, length: number): Letter[] {
  const id = (index: number) => `<plan-${index}@example.org>`;
  return Array.from({ length }, (_, index) => {
    const receivedS = Date.parse('2026-11-20T13:00:00Z') / 1000 + index * 60;
    const before = Array.from({ length: index }, (_none, other) => other);
    const references = before.filter((other) => other === 0 || other > index - 8).map(id);
    const head = [
      `From: Person ${index % 5} <person${index % 5}@example.org>`,
      `To: ${addressOf(user)}`,
      `Subject: ${index === 0 ? '' : 'Re: '}Plan of the year`,
      `Date: ${new Date(receivedS * 1000).toUTCString().replace('GMT', '+0000')}`,
      `Message-ID: ${id(index)}`,
      ...(index === 0 ? [] : [`In-Reply-To: ${id(index - 1)}`, `References: ${references.join('\r\n ')}`]),
    ];
    return {
      raw: Buffer.from([...head, '', `Part ${index} of the plan.`, ''].join('\r\n')),
      receivedS,
      seen: true,
    };
  });
}
