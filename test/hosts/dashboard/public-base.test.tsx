import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dashboardCookies } from '../../../hosts/dashboard/cookies.ts';
import { Form } from '../../../hosts/dashboard/forms/forms.tsx';
import { documentOf } from '../../../hosts/dashboard/layout.tsx';
import { Link, SubmitTo } from '../../../hosts/dashboard/links.tsx';
import { publicBase } from '../../../hosts/http/public-base.ts';
import { openApiDocument } from '../../../hosts/rest/openapi/document.ts';

const URL_WITH_PATH = 'https://example.org/mail';

it('every address of a page is below a public base that has a path', () => {
  const html = documentOf({
    title: 'Page',
    path: '/approvals',
    visitor: undefined,
    hasSockets: false,
    refreshS: undefined,
    showsRequests: undefined,
    goTo: undefined,
    base: publicBase(URL_WITH_PATH),
    body: (
      <Form action="/accounts" token="t">
        <Link to="/trackers?state=resolved">Resolved</Link>
        <SubmitTo to="/accounts/servers">Servers</SubmitTo>
      </Form>
    ),
  });
  const addresses = [...html.matchAll(/(?:href|src|action|formaction)="([^"]*)"/g)].map(([, to]) => to);
  expect(addresses.length).toBeGreaterThan(6);
  // The link that skips to the content stays within the page.
  expect(addresses.filter((to) => !to?.startsWith('/mail/'))).toEqual(['#content']);
  expect(addresses).toContain('/mail/trackers?state=resolved');
  expect(addresses).toContain('/mail/accounts/servers');
});

it('its cookies go to that path alone', () => {
  expect(dashboardCookies(URL_WITH_PATH).set('a', 'b')).toContain('; Path=/mail;');
  expect(dashboardCookies(URL_WITH_PATH).session).toMatch(/^__Secure-/);
  expect(dashboardCookies('https://example.org').session).toMatch(/^__Host-/);
  expect(dashboardCookies('https://example.org').set('a', 'b')).toContain('; Path=/;');
});

it('the description of the API names the whole base', () => {
  expect(openApiDocument(URL_WITH_PATH).servers).toEqual([{ url: URL_WITH_PATH }]);
});

it('no page writes an address by itself', () => {
  const folder = join(import.meta.dirname, '../../../hosts/dashboard');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.tsx'),
  );
  const strays = files.filter((name) =>
    /<a\s(?!href=\{`#|class="skip" href="#)|<form\s|formaction=|formAction=/.test(
      readFileSync(join(folder, name), 'utf8'),
    ),
  );
  // links.tsx and forms.tsx are where addresses are written; the sign-in page links to another host name.
  // An address within the page, which starts with #, needs no base.
  expect(strays.sort()).toEqual(['forms/forms.tsx', 'links.tsx', 'owners/sign-in.tsx']);
});
