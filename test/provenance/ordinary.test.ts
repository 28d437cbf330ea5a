import { describe, expect, it, onTestFinished } from 'vitest';
import { resultOf } from '../core/scene.ts';
import { casesOf } from '../only-long.ts';
import { type Answered, type OrdinaryMailbox, ordinaryMailboxes } from './ordinary/mailboxes.ts';
import { openWorld, textsIn } from './play.ts';
import { listInbox, type Step } from './story.ts';

const MAILBOXES = ordinaryMailboxes(20261124);
const PLAYED = casesOf('ordinary mail: mailboxes', MAILBOXES, (_mailbox, index) => index % 3 === 0);
const ANSWERED = MAILBOXES.flatMap(({ answered }) => answered);

/** The mail can be read and answered, and the owner sees hardly anything red. */
describe('ordinary mail', () => {
  const red: string[] = [];

  it.each(PLAYED.map((mailbox) => [MAILBOXES.indexOf(mailbox), mailbox] as const))(
    'of mailbox %i gets its replies',
    async (_index, mailbox) => {
      const world = await openWorld(mailbox);
      onTestFinished(() => world.service.stop());
      resultOf(await world.take(listInbox()));
      for (const answered of mailbox.answered) {
        const read = textsIn(resultOf(await world.take(stepOf(answered)))).join('\n');
        expect(read).toContain(world.messageId(answered.message));
        const filed = await world.file(answered.reply);
        const page = await world.pageOf(filed);
        expect(page.message?.envelope.to).toEqual([answered.to]);
        expect(page.message?.says.text).toContain(answered.reply.body);
        for (const { rule } of await world.redFindingsOf(filed)) red.push(`${answered.message}: ${rule}`);
      }
    },
  );

  it('gets replies with a red finding in fewer than 1 of 100 cases', () => {
    const answered = PLAYED.flatMap((mailbox) => mailbox.answered);
    expect(red.length, red.join('\n')).toBeLessThan(answered.length / 100);
  });

  it('is the same for the same seed', () => {
    expect(ordinaryMailboxes(20261124)).toEqual(MAILBOXES);
    expect(ordinaryMailboxes(1)).not.toEqual(MAILBOXES);
  });

  it('is varied', () => {
    const bodies = new Set(ANSWERED.map(({ reply }) => reply.body));
    const share = (has: (answered: Answered) => boolean) => ANSWERED.filter(has).length;
    const letters = MAILBOXES.flatMap(({ mail }: OrdinaryMailbox) => mail);
    expect(ANSWERED).toHaveLength(300);
    expect(bodies.size).toBeGreaterThan(280);
    expect(new Set(ANSWERED.map(({ language }) => language)).size).toBe(10);
    expect(share(({ isKnown }) => isKnown)).toBeGreaterThan(60);
    expect(share(({ isKnown }) => !isKnown)).toBeGreaterThan(150);
    expect(share(({ reply }) => reply.body.includes('https://'))).toBeGreaterThan(40);
    expect(share(({ reply }) => /DE\d\d/.test(reply.body))).toBeGreaterThan(30);
    expect(share(({ readBy }) => readBy === 'get_thread')).toBeGreaterThan(50);
    expect(share(({ readBy }) => readBy === 'read_attachment')).toBeGreaterThan(15);
    expect(letters.filter(({ html }) => html !== undefined).length).toBeGreaterThan(40);
    expect(letters.filter(({ replyTo }) => replyTo !== undefined).length).toBeGreaterThan(10);
  });
});

function stepOf({ message, readBy }: Answered): Step {
  return readBy === 'read_attachment'
    ? { tool: 'read_attachment', message, index: 0 }
    : { tool: readBy, message };
}
