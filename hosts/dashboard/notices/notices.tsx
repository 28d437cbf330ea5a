import type { ComponentChildren } from 'preact';
import * as z from 'zod';
import { ServiceError } from '../../../core/contract/errors.ts';
import { DELAY_MAX_MIN, type NoticeSettings } from '../../../core/notices/notice-rule.ts';
import type { NewNoticeChannel, NoticeChannelView } from '../../../core/notices/notices.ts';
import type { NoticeKind } from '../../../core/ports/notice-target.ts';
import { headerOf } from '../../http/request-head.ts';
import { browserName } from '../browser-name.ts';
import { Choice, Field, Form, Problems } from '../forms/forms.tsx';
import { Link } from '../links.tsx';
import { Notice } from '../notice.tsx';
import { DATA, ID } from '../page-protocol.ts';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply, redirect } from '../visit.ts';
import { When } from '../when.tsx';
import { PUSH_FIELDS, type PushField } from './push-fields.ts';

const PATH = '/settings/notices';

export function noticesPage(visit: OwnerVisit): Promise<Reply> {
  return shownPage(visit, []);
}

export async function saveNoticeSettings(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, fields } = visit;
  const form = settingsForm.safeParse(Object.fromEntries(fields));
  if (!form.success) return shownPage(visit, [...new Set(form.error.issues.map(({ message }) => message))]);
  const { delay, quiet_from: from, quiet_to: to } = form.data;
  const quiet = from === null || to === null || from === to ? null : { fromMin: from, toMin: to };
  await service.notices.setSettings(owner.ownerId, { delayMin: delay, quiet });
  return redirect(`${PATH}?notice=notices_saved`);
}

/** Empty: there are no quiet hours. */
const clock = z
  .string()
  .regex(/^$|^([01]\d|2[0-3]):[0-5]\d(:\d\d)?$/, 'Quiet hours: enter times such as 22:00.')
  .transform((text) => (text === '' ? null : Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))))
  .default(null);

const settingsForm = z.object({
  delay: z.coerce.number().int().min(0).max(DELAY_MAX_MIN),
  quiet_from: clock,
  quiet_to: clock,
});

export async function addPush(visit: OwnerVisit): Promise<Reply> {
  const { fields, head } = visit;
  const field = (name: PushField) => fields.get(name) ?? '';
  return addChannel(visit, {
    kind: 'push',
    browser: browserName(headerOf(head, 'user-agent')),
    endpoint: field('endpoint'),
    p256dh: field('p256dh'),
    auth: field('auth'),
  });
}

export async function addNtfy(visit: OwnerVisit): Promise<Reply> {
  const field = (name: string) => visit.fields.get(name)?.trim() ?? '';
  const token = field('token') === '' ? null : field('token');
  return addChannel(visit, { kind: 'ntfy', server: field('server'), topic: field('topic'), token });
}

export async function addNoticeWebhook(visit: OwnerVisit): Promise<Reply> {
  return addChannel(visit, { kind: 'webhook', url: visit.fields.get('url')?.trim() ?? '' });
}

export async function addNoticeMail(visit: OwnerVisit): Promise<Reply> {
  return addChannel(visit, { kind: 'mail', address: visit.fields.get('address')?.trim() ?? '' });
}

async function addChannel(visit: OwnerVisit, channel: NewNoticeChannel): Promise<Reply> {
  const { service, owner } = visit;
  if (!service.notices.kinds.includes(channel.kind)) return shownPage(visit, [NOT_SENT]);
  try {
    const added = await service.notices.add(owner.ownerId, channel);
    if (added.kind === 'not_sent') return await shownPage(visit, [added.reason]);
    if (added.secret !== null) return secretPage(added.secret);
    return redirect(`${PATH}?notice=${channel.kind === 'mail' ? 'code_sent' : 'channel_added'}`);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_arguments') throw error;
    return shownPage(visit, [problemOf(error)]);
  }
}

const NOT_SENT = 'This service does not send notices of this kind.';

const issues = z.object({
  errors: z.array(z.object({ field: z.string(), rule: z.string() })).min(1),
});

const PROBLEMS: Readonly<Record<string, string>> = {
  'kind limit': 'You have ten channels. Remove one first.',
  'address connected_account': 'Address: choose one that is not connected here. Programs can read its mail.',
  'address limit': 'Address: too many codes were sent in this hour. Try again later.',
  'address format': 'Address: enter one address such as me@example.org.',
  'server format': 'Server: enter an address that begins with https://, without a password.',
  'topic format': 'Topic: use 1 to 64 letters, digits, hyphens and underscores.',
  'token format': 'Access token: enter it without spaces.',
  'url format': 'URL: enter an address that begins with https://, without a password or a #.',
};

function problemOf({ details }: ServiceError): string {
  const [first] = issues.safeParse(details).data?.errors ?? [];
  return (
    PROBLEMS[`${first?.field} ${first?.rule}`] ?? 'This browser sent a subscription that cannot be used.'
  );
}

export async function confirmChannel(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param, fields } = visit;
  const end = await service.notices.confirm(owner.ownerId, param, fields.get('code') ?? '');
  if (end === 'confirmed') return redirect(`${PATH}?notice=channel_confirmed`);
  const text = end === 'wrong' ? 'The code is wrong.' : 'The code is no longer valid. Add the address again.';
  return shownPage(visit, [text]);
}

export async function removeChannel({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.notices.remove(owner.ownerId, param);
  return redirect(`${PATH}?notice=channel_removed`);
}

export async function sendTestNotice(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param } = visit;
  const end = await service.notices.sendTest(owner.ownerId, param);
  if (end.kind === 'sent') return redirect(`${PATH}?notice=test_notice_sent`);
  return shownPage(visit, [`The test notice was not sent. ${end.reason}`]);
}

/** Returned directly as the response to the form: a secret is shown once, so it has no URL of its own. */
function secretPage(secret: string): Reply {
  return page(
    'Webhook secret',
    <section class="narrow">
      <h1>Webhook secret</h1>
      <p role="status">The webhook is added.</p>
      <p>
        Its requests are signed with this secret, in the header <code>Service-Signature</code>. It is shown
        only once: copy it now.
      </p>
      <code class="secret" id="notice-secret">
        {secret}
      </code>
      <p class="quiet">
        Each <code>v1</code> in the header is the hex HMAC-SHA256 of <code>t</code>, a full stop and the body.
        The key is the whole secret.
      </p>
      <p>
        <Link class="button-like" to={PATH}>
          I have copied it
        </Link>
      </p>
    </section>,
  );
}

async function shownPage(visit: OwnerVisit, problems: readonly string[]): Promise<Reply> {
  const { service, owner, query } = visit;
  const [settings, channels] = await Promise.all([
    service.notices.settings(owner.ownerId),
    service.notices.list(owner.ownerId),
  ]);
  const { kinds } = service.notices;
  return page(
    'Notices',
    <>
      <h1>Notices</h1>
      <Notice code={query.get('notice')} />
      <Problems problems={problems} />
      <p class="quiet">
        A notice says how many requests wait for you, and nothing about them. It comes if you open no page
        here for a while, once for everything that waits.
      </p>
      <section aria-labelledby="channels">
        <h2 id="channels">Where notices go</h2>
        {channels.length > 0 ? null : <p>Nowhere yet. Turn on a channel below.</p>}
        {channels.map((channel) => (
          <ChannelCard channel={channel} visit={visit} />
        ))}
      </section>
      {channels.length === 0 ? null : <SettingsForm settings={settings} visit={visit} />}
      <section aria-labelledby="add">
        <h2 id="add">Add a channel</h2>
        {kinds.length === 0 ? <p>No notices are sent here: the service has no notice sender.</p> : null}
        {kinds.map((kind) => ADD_FORMS[kind](visit))}
      </section>
    </>,
    problems.length === 0 ? 200 : 422,
  );
}

const KIND_TITLES: Record<NoticeKind, string> = {
  push: 'Browser',
  ntfy: 'ntfy',
  webhook: 'Webhook',
  mail: 'Mail',
};

function ChannelCard({ channel, visit }: { channel: NoticeChannelView; visit: OwnerVisit }) {
  const { owner, token } = visit;
  const { channelId, kind, name, endpoint, isConfirmed, failingSince, problem, createdAt } = channel;
  const path = `${PATH}/${channelId}`;
  return (
    <article class="key" id={channelId} {...{ [DATA.endpoint]: endpoint ?? undefined }}>
      <div class="row-head">
        <strong>
          <Quoted text={name} />
        </strong>
        <ChannelState channel={channel} />
      </div>
      <div class="quiet">
        {KIND_TITLES[kind]} · added <When at={createdAt} zone={owner.timezone} />
        {kind === 'push' ? (
          <span class="this-browser" hidden>
            {' '}
            · this browser
          </span>
        ) : null}
      </div>
      {failingSince === null ? null : (
        <p class="note">
          Notices have failed since <When at={failingSince} zone={owner.timezone} />. {problem}
        </p>
      )}
      {isConfirmed ? null : (
        <Form action={`${path}/confirm`} token={token} label="Confirm the address">
          <Field label="Code from the message" name="code" inputmode="numeric" required />
          <button type="submit">Confirm</button>
        </Form>
      )}
      <div class="actions">
        {isConfirmed ? (
          <Form action={`${path}/test`} token={token}>
            <button type="submit" class="outline">
              Send test notice
            </button>
          </Form>
        ) : null}
        <Form action={`${path}/remove`} token={token}>
          <button type="submit" class="outline secondary">
            Remove
          </button>
        </Form>
      </div>
    </article>
  );
}

function ChannelState({ channel: { isConfirmed, failingSince } }: { channel: NoticeChannelView }) {
  const [state, text] = !isConfirmed
    ? ['pending', 'Not confirmed']
    : failingSince === null
      ? ['on', 'On']
      : ['failing', 'Failing'];
  return (
    <span class="state" data-state={state}>
      {text}
    </span>
  );
}

const DELAYS = [
  ['0', 'at once'],
  ['1', '1 minute'],
  ['5', '5 minutes'],
  ['15', '15 minutes'],
  ['30', '30 minutes'],
  ['60', '1 hour'],
  ['240', '4 hours'],
] as const;

function SettingsForm({ settings, visit }: { settings: NoticeSettings; visit: OwnerVisit }) {
  const { delayMin, quiet } = settings;
  const delay = String(delayMin);
  const isListed = DELAYS.some(([value]) => value === delay);
  return (
    <section aria-labelledby="when">
      <h2 id="when">When notices come</h2>
      <Form action={PATH} token={visit.token} label="When notices come">
        <div class="columns">
          <Choice
            id="delay"
            label="If I open nothing for"
            name="delay"
            value={delay}
            options={isListed ? DELAYS : [...DELAYS, [delay, `${delay} minutes`] as const]}
          />
          <Field label="Quiet from" name="quiet_from" type="time" value={timeOf(quiet?.fromMin)} />
          <Field label="Quiet until" name="quiet_to" type="time" value={timeOf(quiet?.toMin)} />
        </div>
        <p class="quiet">
          Quiet hours follow your time zone, {visit.owner.timezone}. Leave both empty for none. What waits at
          their end causes one notice.
        </p>
        <button type="submit">Save</button>
      </Form>
    </section>
  );
}

function timeOf(minute: number | undefined): string {
  if (minute === undefined) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

const ADD_FORMS: Record<NoticeKind, (visit: OwnerVisit) => ComponentChildren> = {
  push: ({ service, owner, token }) => (
    <article class="key channel">
      <h3>This browser</h3>
      <p id={ID.pushStatus} role="status">
        This browser cannot show notices here. They need JavaScript and HTTPS.
      </p>
      <Form
        action={`${PATH}/push`}
        token={token}
        label="This browser"
        pushKey={service.notices.pushKey(owner.ownerId)}
      >
        {PUSH_FIELDS.map((name) => (
          <input type="hidden" name={name} />
        ))}
        <button type="button">Turn on in this browser</button>
      </Form>
      <p class="quiet">
        On an iPhone or iPad, first add this page to the home screen (Share, then Add to Home Screen), open it
        there and turn notices on. On other devices this works in the browser too.
      </p>
    </article>
  ),
  ntfy: ({ fields, token }) => (
    <AddForm kind="ntfy" token={token} button="Add ntfy topic">
      <div class="columns">
        <Field
          label="Server"
          name="server"
          type="url"
          value={fields.get('server') ?? 'https://ntfy.sh'}
          required
        />
        <Field label="Topic" name="topic" value={fields.get('topic') ?? ''} required />
        <Field label="Access token, if needed" name="token" type="password" />
      </div>
      <p class="quiet">
        Without an access token, everyone who knows the topic can read it. Choose a name that nobody guesses.
      </p>
    </AddForm>
  ),
  webhook: ({ fields, token }) => (
    <AddForm kind="webhook" token={token} button="Add webhook">
      <Field
        label="URL"
        name="url"
        type="url"
        value={fields.get('url') ?? ''}
        placeholder="https://example.org/notice"
        required
      />
    </AddForm>
  ),
  mail: ({ fields, token }) => (
    <AddForm kind="mail" token={token} button="Send code">
      <Field label="Address" name="address" type="email" value={fields.get('address') ?? ''} required />
      <p class="quiet">
        Choose an address whose mail your programs cannot read. A code confirms it. The messages contain no
        link.
      </p>
    </AddForm>
  ),
};

function AddForm(props: { kind: NoticeKind; token: string; button: string; children: ComponentChildren }) {
  const { kind, token, button, children } = props;
  return (
    <article class="key channel">
      <h3>{KIND_TITLES[kind]}</h3>
      <Form action={`${PATH}/${kind}`} token={token} label={KIND_TITLES[kind]}>
        {children}
        <button type="submit">{button}</button>
      </Form>
    </article>
  );
}
