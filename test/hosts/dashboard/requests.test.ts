import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../core/call/outcome.ts';
import { firstId, letter } from '../../core/scene.ts';
import { type Dashboard, EMAIL, openDashboard } from './open-dashboard.ts';

// What the owner sees of each kind of request: everything that would happen, and to which messages.

interface Delivered {
  readonly from?: string;
  readonly subject: string;
  readonly text: string;
}

/** Puts mail into the inbox. @returns the ids of all messages, newest first */
async function deliver(dashboard: Dashboard, letters: readonly Delivered[]): Promise<string[]> {
  const account = { ownerId: dashboard.ownerId, accountId: 1, email: EMAIL, settings: async () => ({}) };
  for (const { from = 'Ada <ada@example.net>', subject, text } of letters) {
    const head = `From: ${from}\r\nTo: ${EMAIL}\r\nSubject: ${subject}\r\nDate: Fri, 20 Nov 2026 10:00:00 +0000`;
    await dashboard.mail.deliver(account, 'INBOX', Buffer.from(`${head}\r\n\r\n${text}\r\n`));
  }
  const found = await dashboard.key.call('summarize_inbox', { limit: letters.length });
  if (found.status !== 'ok') throw new Error(JSON.stringify(found));
  return (found.result.messages as { id: string }[]).map(({ id }) => id);
}

/** The page of the request that a call filed, with the text of its parts. */
async function pageOf(dashboard: Dashboard, outcome: Outcome) {
  if (outcome.status !== 'pending_approval') throw new Error(JSON.stringify(outcome));
  const path = `/approvals/${outcome.approval.id}`;
  const { status, body } = await dashboard.send({ path, headers: { cookie: await dashboard.cookie() } });
  expect(status).toBe(200);
  expect(body).toContain('>Approve<');
  const facts = new Map(
    [...body.matchAll(/<dt>(.*?)<\/dt><dd.*?>(.*?)<\/dd>/gs)].map(([, name = '', value = '']) => [
      textIn(name),
      textIn(value),
    ]),
  );
  const [, list = ''] = /<ul [^>]*id="targets">(.*?)<\/ul>/s.exec(body) ?? [];
  const targets = list.split('</li>').slice(0, -1).map(textIn);
  return { body, facts, targets, heading: textIn(/<h1 id="sentence">(.*?)<\/h1>/s.exec(body)?.[1] ?? '') };
}

function textIn(html: string): string {
  const plain = html.replace(/<[^>]*>/g, '');
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  return plain.replace(/&(lt|gt|quot|amp);/g, (whole, name: string) => entities[name] ?? whole);
}

describe('the page of a request', () => {
  it('to move shows every message, its folder and the target', async () => {
    const dashboard = await openDashboard();
    const letters = Array.from({ length: 50 }, (_, n) => ({
      from: `Sender ${n} <s${n}@example.net>`,
      subject: `Subject ${n} <b>`,
      text: `Line ${n}\r\n\r\nand <more>`,
    }));
    const ids = await deliver(dashboard, letters);
    const outcome = await dashboard.key.call('move_email', { ids, target_folder: 'Projects/Atlas' });
    const { heading, facts, targets, body } = await pageOf(dashboard, outcome);
    expect(heading).toBe('Move 50 messages from example.net to the folder Projects/Atlas');
    expect(facts.get('Account')).toBe(EMAIL);
    expect(facts.get('To folder')).toBe('Projects/Atlas');
    expect([...facts.keys()]).toEqual(['Account', 'To folder', 'Request', 'Digest']);
    expect(body).toContain('About these 50 messages');
    expect(targets).toHaveLength(50);
    for (const [n, { subject, from }] of letters.toReversed().entries()) {
      expect(targets[n]).toContain(subject);
      expect(targets[n]).toContain(`from ${from}`);
      expect(targets[n]).toMatch(/20 Nov(ember)? 2026|Nov 20, 2026|2026-11-20/);
      expect(targets[n]).toContain('in INBOX');
      expect(targets[n]).toContain(`Line ${49 - n} and <more>`);
    }
  });

  it.each([
    ['archive_email', 'Archive “One” from Ada <ada@example.net>', 'Archive'],
    ['delete_email', 'Move “One” from Ada <ada@example.net> to the trash', 'Trash'],
  ])('to %s names the folder', async (tool, title, folder) => {
    const dashboard = await openDashboard();
    const [id] = await deliver(dashboard, [{ subject: 'One', text: 'A line' }]);
    const { heading, facts, targets } = await pageOf(dashboard, await dashboard.key.call(tool, { id }));
    expect([heading, facts.get('To folder')]).toEqual([title, folder]);
    expect(targets).toHaveLength(1);
    expect(targets[0]).toMatch(/One.*A line/s);
  });

  it('to label shows the label and each message', async () => {
    const dashboard = await openDashboard();
    const ids = await deliver(dashboard, [
      { subject: 'One', text: 'First line' },
      { subject: 'Two', text: 'Second line' },
    ]);
    const outcome = await dashboard.key.call('label_email', { ids, label: 'To <pay> \u202eneve' });
    const { heading, facts, targets, body } = await pageOf(dashboard, outcome);
    expect(heading).toBe('Label 2 messages from ada@example.net as To <pay> ⟨U+202E⟩neve');
    expect(facts.get('Label')).toBe('To <pay> ⟨U+202E⟩neve');
    expect([...facts.keys()]).toEqual(['Account', 'Label', 'Request', 'Digest']);
    expect(targets).toHaveLength(2);
    expect(targets[0]).toMatch(/Two.*Second line/s);
    expect(targets[1]).toMatch(/One.*First line/s);
    expect(body).not.toContain('<pay>');
  });

  it('to forward shows the recipients, the note, everything passed on, and the message', async () => {
    const dashboard = await openDashboard();
    const [id] = await deliver(dashboard, [
      { subject: 'Quarter', text: 'Figures:\r\n<1> & 2\r\n  indented' },
    ]);
    const to = ['cy@example.net', 'dee@example.net'];
    const outcome = await dashboard.key.call('forward_email', { id, to, note: 'Have a look.' });
    const { heading, facts, targets, body } = await pageOf(dashboard, outcome);
    expect(heading).toBe('Forward to cy@example.net, dee@example.net: “Fwd: Quarter”');
    expect(facts.get('Goes to')).toBe('cy@example.netdee@example.net');
    expect(facts.get('From')).toBe(EMAIL);
    expect(facts.get('Subject')).toBe('Fwd: Quarter');
    const [, shown = ''] = /<div id="message-text"[^>]*>(.*?)<\/div>/s.exec(body) ?? [];
    expect(textIn(shown)).toMatch(
      /^Have a look\.\n\n-+ Forwarded message -+\nFrom: Ada <ada@example\.net>\n/,
    );
    expect(textIn(shown)).toContain('\n\nFigures:\n<1> & 2\n  indented');
    expect(targets).toHaveLength(1);
    expect(targets[0]).toMatch(/Quarter.*from Ada <ada@example\.net>.*in INBOX/s);
  });

  it('to forward says which attachments stay behind', async () => {
    const name = '<b>.pdf';
    const attachments = [{ name, mime: 'application/pdf', content: Buffer.alloc(84_300) }];
    const dashboard = await openDashboard({ samples: () => [letter('1', { attachments })] });
    const id = await firstId(dashboard.key);
    const outcome = await dashboard.key.call('forward_email', { id, to: ['cy@example.net'] });
    const { body } = await pageOf(dashboard, outcome);
    const [, shown = ''] = /<p class="quiet" id="not-sent">(.*?)<\/p>/s.exec(body) ?? [];
    expect(shown).toBe('<bdi>Not sent: &lt;b>.pdf, 84 KB</bdi>');
  });

  it('to change flags shows the change and each message', async () => {
    const dashboard = await openDashboard();
    const ids = await deliver(dashboard, [
      { subject: 'One', text: 'First line' },
      { subject: 'Two', text: 'Second line' },
    ]);
    const key = await dashboard.addKey('full', { 'mail:organize': 'approval' });
    const { heading, facts, targets } = await pageOf(dashboard, await key.call('flag_email', { ids }));
    expect(heading).toBe('Star 2 messages from ada@example.net');
    expect(facts.get('Change')).toBe('mark as flagged');
    expect(targets).toHaveLength(2);
    expect(targets[1]).toMatch(/One.*First line/s);
  });

  it.each([
    [['Ada <a@one.example>', 'a@one.example', 'Eve <a@one.example>'], 'a@one.example'],
    [['Ada <a@one.example>', 'Bob <b@one.example>'], 'one.example'],
    [['Ada <a@one.example>', 'Bob <b@two.example>'], '2 senders'],
    // Several senders of one message: none of them speaks for all.
    [['Ada <a@one.example>', 'Ada <a@one.example>, Bob <b@one.example>'], '2 senders'],
    // A name that looks like an address is not the sender.
    [['"x@bank.example" <a@one.example>', 'Bob <b@two.example>'], '2 senders'],
  ])('says that messages of %j are from %s', async (senders, from) => {
    const dashboard = await openDashboard();
    const ids = await deliver(
      dashboard,
      senders.map((sender, n) => ({ from: sender, subject: `Subject ${n}`, text: 'A line' })),
    );
    const { heading } = await pageOf(dashboard, await dashboard.key.call('archive_email', { ids }));
    expect(heading).toBe(`Archive ${senders.length} messages from ${from}`);
  });
});
