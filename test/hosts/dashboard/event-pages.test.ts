import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sandboxCalendar } from '../../../adapters/sandbox/calendar.ts';
import { calendarOf, event, object, ZURICH } from '../../contracts/calendar/scene.ts';
import { approvalOf } from '../../core/scene.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { type Dashboard, EMAIL, openDashboard } from './open-dashboard.ts';
import { signedInPage } from './signed-in-page.ts';

const ZONE = 'Europe/Zurich';
const RLO = '\u202e';

describe.skipIf(browserIsMissing)(inBrowser('the page of a change of the calendar'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  async function opened(objects: Readonly<Record<string, string>> = {}) {
    const calendar = sandboxCalendar({ samples: [] });
    const dashboard = await openDashboard({ calendar, timezone: ZONE });
    const account = { ownerId: dashboard.ownerId, accountId: 1, email: EMAIL, settings: async () => ({}) };
    for (const [name, ics] of Object.entries(objects)) await calendar.put(account, name, ics);
    return { ...dashboard, objects: () => calendar.objects(account) };
  }

  /** Files a request and opens its page. */
  async function pageOf(dashboard: Dashboard, tool: string, args: Record<string, unknown>): Promise<Page> {
    const { id } = approvalOf(await dashboard.key.call(tool, args));
    const page = await signedInPage(browser, dashboard, `/approvals/${id}`);
    await page.locator('#details > summary').click();
    return page;
  }

  async function sentenceOf(page: Page): Promise<string> {
    return (await page.getByRole('heading', { level: 1 }).innerText()).replace(/\s+/g, ' ');
  }

  /** The facts on one side by name; a star marks changed ones. */
  function factsOn(page: Page, id: string): Promise<Record<string, string>> {
    return factsIn(page, `#${id} .facts`);
  }

  async function factsIn(page: Page, list: string): Promise<Record<string, string>> {
    const facts: [string, string][] = [];
    for (const row of await page.locator(`${list} > div`).all()) {
      const marked = (await row.getAttribute('class')) === 'changed' ? '*' : '';
      const name = await row.locator('dt').innerText();
      facts.push([`${name}${marked}`, (await row.locator('dd').innerText()).replace(/\s+/g, ' ')]);
    }
    return Object.fromEntries(facts);
  }

  const soon = (days: number) => {
    const day = new Date(Date.now() + days * 86_400_000);
    const text = new Intl.DateTimeFormat('en-GB', {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      timeZone: 'UTC',
    }).format(day);
    return {
      iso: day.toISOString().slice(0, 10),
      basic: day.toISOString().slice(0, 10).replaceAll('-', ''),
      text,
    };
  };

  async function numberOf({ key }: Dashboard, title: string, start = ''): Promise<unknown> {
    const outcome = await key.call('list_events', { days: 60 });
    if (outcome.status !== 'ok') throw new Error(outcome.status);
    const { events } = outcome.result as { events: { event_id: number; title: string; start: string }[] };
    return events.find((one) => one.title === title && one.start.startsWith(start))?.event_id;
  }

  it('shows a new event, its attendees and their message; approving creates it', async () => {
    const dashboard = await opened();
    const day = soon(10);
    const page = await pageOf(dashboard, 'create_event', {
      title: `Planning ${RLO}<b>`,
      start: `${day.iso}T09:00`,
      duration_min: 90,
      attendee: 'ada@example.net',
    });
    expect(await sentenceOf(page)).toBe(
      `Invite ada@example.net to Planning ⟨U+202E⟩<b>, ${day.text}, 09:00 to 10:30 ${ZONE}`,
    );
    expect(await page.locator('#event-before').count()).toBe(0);
    expect(await factsOn(page, 'event-after')).toEqual({
      Title: 'Planning ⟨U+202E⟩<b>',
      When: `${day.text}, 09:00 to 10:30 ${ZONE}`,
      Lasts: '1 h 30 min',
      Status: 'Confirmed',
      Organizer: EMAIL,
      Attendees: 'ada@example.net',
    });
    expect(await page.locator('#told').innerText()).toMatch(/Told by a message from you\s+ada@example\.net/);
    expect(await page.locator('#message-text').textContent()).toContain(`invites you to this event:`);
    await press(page, 'Approve');
    await page.getByText('You approved it, and it was carried out.').waitFor();
    expect((await dashboard.objects()).size).toBe(1);
    expect(dashboard.mail.transmitted().map(({ to }) => to)).toEqual([['ada@example.net']]);
  });

  it('shows every line of the stored object that changes, and no other', async () => {
    const day = soon(10);
    const lunch = event('lunch', 'SUMMARY:Lunch', `DTSTART:${day.basic}T110000Z`, 'X-OWN:kept');
    const dinner = event('dinner', 'SUMMARY:Dinner', `DTSTART:${day.basic}T180000Z`, 'X-OWN:kept, too');
    const dashboard = await opened({ 'two.ics': calendarOf(lunch, dinner) });
    const event_id = await numberOf(dashboard, 'Lunch');
    const linesOn = async (page: Page) =>
      (await page.locator('#changed-lines').textContent())?.split('\n').toSorted();
    const updating = await pageOf(dashboard, 'update_event', { event_id, title: 'Late lunch' });
    expect(await linesOn(updating)).toEqual([
      expect.stringMatching(/^\+DTSTAMP:2/),
      expect.stringMatching(/^\+LAST-MODIFIED:2/),
      '+SEQUENCE:1',
      '+SUMMARY:Late lunch',
      expect.stringMatching(/^-DTSTAMP:2/),
      '-SUMMARY:Lunch',
    ]);
    const other = await numberOf(dashboard, 'Dinner');
    const cancelling = await pageOf(dashboard, 'cancel_event', { event_id: other });
    expect(await linesOn(cancelling)).toEqual(dinner.map((line) => `-${line}`).toSorted());
  });

  it('shows one changed event of a series before and after, and marks the changes', async () => {
    const [first, second] = [soon(10), soon(17)];
    const dashboard = await opened({
      'series.ics': calendarOf(
        ZURICH,
        event(
          'series',
          'SUMMARY:Weekly',
          `DTSTART;TZID=${ZONE}:${first.basic}T090000`,
          'DURATION:PT1H',
          'RRULE:FREQ=WEEKLY;COUNT=3',
          'DESCRIPTION:Secret\\nplans',
          'ATTENDEE;CN=Maya:mailto:maya@atlas.example',
          'ATTENDEE:urn:uuid:4711',
        ),
      ),
    });
    const event_id = await numberOf(dashboard, 'Weekly', second.iso);
    const page = await pageOf(dashboard, 'update_event', {
      event_id,
      start: `${second.iso}T15:30`,
      attendee: 'ada@example.net',
    });
    expect(await sentenceOf(page)).toBe(
      `Change the time and attendees of Weekly, ${second.text}, 15:30 to 16:30 ${ZONE}; 2 people are told`,
    );
    expect(await factsIn(page, '#changes')).toEqual({
      When: `${second.text}, 09:00 to 10:00 ${ZONE} ${second.text}, 15:30 to 16:30 ${ZONE}`,
      Invited: 'ada@example.net',
    });
    const same = { Title: 'Weekly', Lasts: '1 h', Status: 'Confirmed' };
    expect(await factsOn(page, 'event-before')).toEqual({
      ...same,
      When: `${second.text}, 09:00 to 10:00 ${ZONE}`,
      Attendees: 'Maya <maya@atlas.example> urn:uuid:4711',
    });
    expect(await factsOn(page, 'event-after')).toEqual({
      ...same,
      'When*': `${second.text}, 15:30 to 16:30 ${ZONE}`,
      'Organizer*': EMAIL,
      'Attendees*': 'Maya <maya@atlas.example> urn:uuid:4711 ada@example.net',
    });
    expect(await page.locator('#event-after-description').textContent()).toBe('Secret\nplans');
    expect(await page.locator('#only-this-one').innerText()).toContain('Only this one changes');
    const told = await page.locator('#told').innerText();
    expect(told).toMatch(/Told by a message from you\s+maya@atlas\.example\s+ada@example\.net/);
    expect(told).toMatch(/Cannot be told: no email address\s+urn:uuid:4711/);
  });

  it('distinguishes a time that occurs twice on the clock', async () => {
    const page = await pageOf(await opened(), 'create_event', { title: 'Night', start: '2027-10-31T02:30' });
    const { When } = await factsOn(page, 'event-after');
    expect(When).toBe('Sun, 31 Oct 2027, 02:30 CEST to 02:00 CET Europe/Zurich');
  });

  it('shows whose event is removed, and that they are not notified', async () => {
    const day = soon(10);
    const dashboard = await opened({
      'foreign.ics': object(
        'foreign',
        'SUMMARY:Review',
        `DTSTART;VALUE=DATE:${day.basic}`,
        'ORGANIZER:mailto:boss@corp.example',
        `ATTENDEE:mailto:${EMAIL}`,
      ),
    });
    const page = await pageOf(dashboard, 'cancel_event', { event_id: await numberOf(dashboard, 'Review') });
    expect(await sentenceOf(page)).toBe(
      `Remove Review of boss@corp.example, ${day.text}, from your calendar; they are not told`,
    );
    expect(await page.locator('#event-after').count()).toBe(0);
    expect(await factsOn(page, 'event-before')).toMatchObject({ When: day.text, Lasts: 'the whole day' });
    expect(await page.locator('#organizer-note').innerText()).toBe(
      'This event belongs to boss@corp.example, not to you. It is only removed from your calendar. They are not notified.',
    );
    expect(await page.locator('#message-text').count()).toBe(0);
  });
});
