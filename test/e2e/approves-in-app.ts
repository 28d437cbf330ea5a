import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import * as z from 'zod';
import { lineOf, type RunningExample } from './installed-package.ts';
import { decide, stateOn, textOf } from './owner-pages.ts';
import { filedIn, restClient } from './rest-client.ts';

const announced = z.strictObject({
  url: z.url(),
  owner: z.strictObject({ email: z.string(), password: z.string() }),
  api_key: z.string(),
});

/** The user of an example app signs in to it and approves what its agent asks for. */
export async function approvesIn(
  app: Pick<RunningExample, 'lines' | 'ended'>,
  browser: Browser,
): Promise<void> {
  const { url, owner, api_key } = announced.parse(
    JSON.parse(await lineOf(app, (line) => line.startsWith('{'))),
  );
  expect(await (await fetch(new URL('/', url))).text()).toBe('The app itself.\n');

  const client = new Client({ name: 'assistant', version: '1.0.0' });
  const requestInit = { headers: { Authorization: `Bearer ${api_key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  const me = await client.callTool({ name: 'get_me', arguments: {} });
  expect(me).toMatchObject({ isError: false, structuredContent: { status: 'ok' } });
  await client.close();

  const rest = restClient(url, api_key);
  const { id } = await rest.newest();
  const approvalId = filedIn(await rest.post(`/v1/messages/${id}/reply`, { body: 'Gladly.' }));
  const page = await signedInToApp(browser, `${url}/approvals/${approvalId}`, owner);
  expect(await textOf(page, 'message-text')).toMatch(/^Gladly\.\n/);
  await decide(page, 'Approve');
  expect(await stateOn(page)).toBe('Executed');
  expect((await rest.get(`/v1/approvals/${approvalId}`)).body).toMatchObject({ executed: true });

  // A form with many fields: the program gets another key.
  await page.getByRole('navigation').getByRole('link', { name: 'Integrations' }).click();
  await page.getByLabel('Name').first().fill('Second');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('svc_pat_').first().waitFor();
}

/** Opens a page of Countersign. The app asks who is there, and leads back to the page. */
async function signedInToApp(
  browser: Browser,
  address: string,
  owner: z.infer<typeof announced>['owner'],
): Promise<Page> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(address);
  expect(new URL(page.url()).pathname).toBe('/login');
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password').fill(owner.password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(address);
  return page;
}
