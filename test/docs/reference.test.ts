import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../core/contract/errors.ts';
import { EVENT_TYPES } from '../../core/events/webhook-event.ts';
import { PLAN_LIMITS } from '../../core/keys/limits.ts';
import { CATALOGUE } from '../../core/tools/catalogue.ts';
import { ROUTES } from '../../hosts/rest/routes.ts';
import { allCommands } from '../../hosts/server/commands.ts';
import { settings, variableOf } from '../../hosts/server/configuration.ts';
import { BRIDGE_ONLY_SETTINGS } from '../../hosts/stdio/bridge-settings.ts';
import { errorsPage } from './errors-page.ts';
import { eventsPage } from './events-page.ts';
import { limitsPage } from './limits-page.ts';
import { anchorOf, anchorsOf } from './page-links.ts';
import { settingsPage } from './settings-page.ts';
import { toolsPage } from './tools-page.ts';

// `npm run reference` writes the pages. In CI a page that is missing or stale fails and is not written.

const FOLDER = join(import.meta.dirname, '../../docs/reference');

const PAGES = {
  'tools.md': toolsPage(),
  'errors.md': errorsPage(),
  'events.md': eventsPage(),
  'settings.md': await settingsPage(),
  'limits.md': limitsPage(),
};

type File = keyof typeof PAGES;

describe('the page', () => {
  it.each(Object.entries(PAGES))(
    '%s says what the definitions say; if not: npm run reference',
    async (file, text) => {
      await expect(text).toMatchFileSnapshot(join(FOLDER, file));
    },
  );
});

/** @returns those that have no heading of their own on the page */
function withoutHeading(file: File, headings: readonly string[]): readonly string[] {
  const anchors = anchorsOf(PAGES[file]);
  return headings.filter((heading) => !anchors.has(anchorOf(heading)));
}

/** @returns those that no row of a table on the page begins with */
function withoutRow(file: File, names: readonly string[]): readonly string[] {
  return names.filter((name) => !PAGES[file].includes(`\n| \`${name}\` `));
}

describe('on a page there is', () => {
  it('every tool', () => {
    expect(
      withoutHeading(
        'tools.md',
        CATALOGUE.map(({ name }) => name),
      ),
    ).toEqual([]);
  });

  it('every argument of every tool', () => {
    const sections = new Map(PAGES['tools.md'].split('\n### ').map((text) => [text.split('\n')[0], text]));
    const missing = CATALOGUE.flatMap(({ name, inputSchema }) =>
      Object.keys(inputSchema.properties ?? {})
        .filter((argument) => !sections.get(name)?.includes(`| \`${argument}\` `))
        .map((argument) => `${name}.${argument}`),
    );
    expect(missing).toEqual([]);
  });

  it('every route', () => {
    expect(
      withoutRow(
        'tools.md',
        ROUTES.map(({ method, path }) => `${method} ${path}`),
      ),
    ).toEqual([]);
  });

  it('every error code', () => {
    expect(withoutHeading('errors.md', Object.keys(ERRORS))).toEqual([]);
  });

  it('every event', () => {
    expect(withoutHeading('events.md', EVENT_TYPES)).toEqual([]);
  });

  it('every setting', () => {
    expect(withoutHeading('settings.md', Object.keys(settings.shape).map(variableOf))).toEqual([]);
    expect(withoutRow('settings.md', BRIDGE_ONLY_SETTINGS)).toEqual([]);
  });

  it('every command', async () => {
    const commands = await allCommands();
    expect(
      withoutHeading(
        'settings.md',
        commands.map(({ name }) => `countersign ${name}`),
      ),
    ).toEqual([]);
  });

  it('every limit of a plan', () => {
    expect(withoutRow('limits.md', Object.keys(PLAN_LIMITS.free))).toEqual([]);
  });
});
