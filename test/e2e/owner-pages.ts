import type { Browser, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { addressOf, PASSWORD as MAILBOX_PASSWORD } from '../servers/mail-users.ts';
import type { SelfHosted } from './self-hosted.ts';

export interface Owner {
  readonly email: string;
  readonly password: string;
}

/** Signs in with the form, in a new browser profile that ends with the test. @param path the page to continue to */
export async function signedIn(
  browser: Browser,
  dashboardUrl: string,
  owner: Owner,
  path = '/approvals',
): Promise<Page> {
  const context = await browser.newContext({ baseURL: dashboardUrl });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(path);
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password').fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(path);
  return page;
}

/** Presses Approve or Reject on the page of a request, and waits for the page that shows the result. */
export async function decide(page: Page, button: 'Approve' | 'Reject'): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  await page.locator('#just-decided').waitFor();
}

/** The state of the request that was just decided, or else of the one that the page shows. */
export async function stateOn(page: Page): Promise<string | null> {
  return page.locator('#just-decided .state, .approval .state').first().textContent();
}

/** Opens the page of the request that was just decided, from the line that says what became of it. */
export async function openDecided(page: Page): Promise<void> {
  await page.locator('#just-decided a').click();
  await page.locator('#decided').waitFor();
}

/** The text of an element, exactly as on the page. */
export async function textOf(page: Page, id: string): Promise<string> {
  const text = await page.locator(`#${id}`).textContent();
  if (text === null) throw new Error(`the page has no text in #${id}`);
  return text;
}

/** Completes the three steps of connecting an account: its address, its servers typed by hand, its password. */
export async function connectAccount(page: Page, servers: MailServers, given: Mailbox): Promise<void> {
  // Below the base URL, which may have a path.
  await page.goto('accounts');
  await enterAccount(page, servers, given);
}

type MailServers = Pick<SelfHosted, 'dovecot' | 'postfix'>;

interface Mailbox {
  readonly user: string;
  readonly password?: string;
  readonly signature?: string;
}

/** The same on a page that asks for the address. @param look  gets each page before it is left */
export async function enterAccount(
  page: Page,
  { dovecot, postfix }: MailServers,
  given: Mailbox,
  look: (name: string) => Promise<unknown> = async () => {},
): Promise<void> {
  await page.getByLabel('Email').fill(addressOf(given.user));
  await page.getByRole('button', { name: 'Type the servers by hand' }).click();
  await page.getByLabel('IMAP host').fill('localhost');
  await page.getByLabel('IMAP port').fill(String(dovecot.tlsPort));
  await page.getByLabel('SMTP host').fill('localhost');
  await page.getByLabel('SMTP port').fill(String(postfix.port));
  await page.getByLabel('SMTP security').selectOption('starttls');
  await page.getByLabel('Signature').fill(given.signature ?? '');
  await look('the servers');
  await page.getByRole('button', { name: 'Use these servers' }).click();
  const seen = (dovecot.certificate.fingerprint.toUpperCase().match(/../g) ?? []).join(':');
  for (const box of [0, 1]) await page.getByLabel(`Trust this one: ${seen}`).nth(box).check();
  await look('the certificates');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Password').fill(given.password ?? MAILBOX_PASSWORD);
  await look('the password of the mailbox');
  await page.getByRole('button', { name: 'Connect account' }).click();
}
