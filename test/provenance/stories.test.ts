import { describe, expect, it, onTestFinished } from 'vitest';
import type { Outcome } from '../../core/call/outcome.ts';
import { resultOf } from '../core/scene.ts';
import { HONEST } from './honest.ts';
import { PLANTED } from './planted.ts';
import { openWorld, textsIn } from './play.ts';
import type { Story } from './story.ts';

/**
 * The stories can be played as they are told. Every planted one has a red finding that names its source, and no honest one
 * has a red finding. There are no exceptions.
 */

describe.each([
  ['planted', PLANTED],
  ['honest', HONEST],
])('the %s stories', (_kind, stories) => {
  it.each(stories.map((story) => [story.title, story] as const))('%s', async (_title, story) => {
    const world = await openWorld(story);
    onTestFinished(() => world.service.stop());
    const answers: Outcome[] = [];
    for (const step of story.before) answers.push(await world.take(step));
    // An empty answer means that the story reads something that is not there.
    expect(answers.map(({ status }) => status)).toEqual(story.before.map(() => 'ok'));
    const read = answers.map(resultOf).flatMap(textsIn).join('\n');
    for (const text of [...(story.shown ?? []), ...sourcesOf(story, world.messageId)]) {
      expect(read).toContain(text);
    }

    const filed = await world.file(story.write, story.purpose);
    expect(filed).toMatchObject({ status: 'pending_approval' });
    const page = await world.pageOf(filed);
    expect(page.message?.envelope.to ?? []).toEqual(story.plan.to ?? []);
    const texts = textsIn(page).join('\n');
    for (const text of story.plan.text ?? []) expect(texts).toContain(text);
    expect(page.targets.map(({ id }) => id)).toEqual(messagesOf(story).map(world.messageId));
    const red = await world.redFindingsOf(filed);
    if (story.expected.red === 'none') expect(red).toEqual([]);
    else {
      const { from, quoting } = story.expected.red;
      const ids = [from].flat().map((id) => world.sourceId(id));
      const sources = red.flatMap(({ source }) => (source === undefined ? [] : [source]));
      expect(
        sources.filter(({ id }) => ids.includes(id)),
        JSON.stringify(red),
      ).not.toEqual([]);
      if (quoting !== undefined) expect(sources.map((source) => source.quoting)).toContain(quoting);
    }
  });
});

describe('the lists', () => {
  const all = [...PLANTED, ...HONEST];

  it('contain forty stories each at least, with a source in every planted one', () => {
    expect(Math.min(PLANTED.length, HONEST.length)).toBeGreaterThanOrEqual(40);
    expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
    expect(PLANTED.filter(({ expected }) => expected.red === 'none')).toEqual([]);
    expect(HONEST.filter(({ expected }) => expected.red !== 'none')).toEqual([]);
  });

  it('tell their steps in order, and no message is read before it arrives', () => {
    for (const { mail, before } of all) {
      const times = before.map(({ hoursAgo = 0 }) => hoursAgo);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      const arrived = new Map(mail.map(({ id, hoursAgo }) => [id, hoursAgo]));
      for (const step of before) {
        if ('message' in step) expect(arrived.get(step.message)).toBeGreaterThan(step.hoursAgo ?? 0);
      }
    }
  });

  it('name only domains that belong to nobody', () => {
    const domains = JSON.stringify(all).matchAll(/@((?:[\p{L}\d-]+\.)+[\p{L}\d-]+)/gu);
    const names = [...domains].map(([, name = '']) => name.toLowerCase());
    expect(names.length).toBeGreaterThan(200);
    expect(names.filter((name) => !name.endsWith('.example'))).toEqual([]);
  });
});

/** How the answers that the agents read show the sources of the finding. */
function sourcesOf({ expected, events = [] }: Story, messageId: (id: string) => string): readonly string[] {
  const sources = expected.red === 'none' ? [] : [expected.red.from].flat();
  return sources.map((id) => events.find((event) => event.id === id)?.title ?? messageId(id));
}

/** The messages that the write is about. */
function messagesOf({ write }: Story): readonly string[] {
  if ('messages' in write) return write.messages;
  return 'message' in write ? [write.message] : [];
}
