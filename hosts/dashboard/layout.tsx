import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { PublicBase } from '../http/public-base.ts';
import { ICON_PATH, MANIFEST_PATH, SCRIPT_PATH, STYLE_PATH, TOUCH_ICON_PATH, WORKER_PATH } from './assets.ts';
import { Form } from './forms/forms.tsx';
import { Base, Link } from './links.tsx';
import { SOCKET_PATH } from './live/live-protocol.ts';
import { ID, type ScriptAttributes } from './page-protocol.ts';
import { Quoted } from './third-party-text.tsx';
import { visibleText } from './visible-text.ts';
import type { OwnerVisit } from './visit.ts';
import { DateLanguage } from './when.tsx';

const PAGES = [
  ['/approvals', 'Approvals'],
  ['/accounts', 'Accounts'],
  ['/integrations', 'Integrations'],
  ['/trackers', 'Trackers'],
  ['/activity', 'Activity'],
  ['/settings', 'Settings'],
] as const;

/**
 * Renders the whole document.
 * @param shown  `visitor` is undefined on pages that need no sign-in; `hasSockets`: the server takes the sockets of open
 *   pages
 */
export function documentOf(shown: {
  title: string;
  path: string;
  visitor: Pick<OwnerVisit, 'owner' | 'session' | 'token' | 'requests'> | undefined;
  hasSockets: boolean;
  refreshS: number | undefined;
  showsRequests: boolean | undefined;
  goTo: string | undefined;
  body: VNode;
  base: PublicBase;
}): string {
  const { visitor, base } = shown;
  const own = visitor?.session.kind === 'own' ? visitor.session.stored : undefined;
  const waiting = visitor?.requests.waiting ?? 0;
  const markup = renderToString(
    <Base.Provider value={base}>
      <DateLanguage.Provider value={visitor?.owner.language ?? 'en-GB'}>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="color-scheme" content="light dark" />
            {shown.refreshS === undefined ? null : (
              // The script refreshes the page without loading all of it.
              <noscript>
                <meta http-equiv="refresh" content={String(shown.refreshS)} />
              </noscript>
            )}
            {shown.goTo === undefined ? null : <meta http-equiv="refresh" content={`0;url=${shown.goTo}`} />}
            <title>{`${waiting === 0 ? '' : `(${waiting}) `}${visibleText(shown.title)} · Countersign`}</title>
            <link rel="icon" type="image/svg+xml" href={base.path(ICON_PATH)} />
            <link rel="apple-touch-icon" href={base.path(TOUCH_ICON_PATH)} />
            <link rel="manifest" href={base.path(MANIFEST_PATH)} />
            <link rel="stylesheet" href={base.path(STYLE_PATH)} />
            {/* Not deferred: it must run before any form can be sent. */}
            <script
              src={base.path(SCRIPT_PATH)}
              {...({
                'data-session': own?.id,
                'data-key': own?.proofKey,
                'data-socket': visitor && shown.hasSockets ? base.path(SOCKET_PATH) : undefined,
                'data-version': shown.showsRequests === true ? visitor?.requests.version : undefined,
                'data-refresh': shown.refreshS,
                'data-worker': visitor === undefined ? undefined : base.path(WORKER_PATH),
              } satisfies ScriptAttributes)}
            />
          </head>
          <body>
            <a class="skip" href="#content">
              Skip to the content
            </a>
            <header class="container">
              <Link class="brand" to="/approvals">
                Countersign
              </Link>
              {visitor === undefined ? null : (
                <>
                  <nav aria-label="Pages">
                    {PAGES.map(([path, name]) => (
                      <Link to={path} aria-current={isWithin(shown.path, path) ? 'page' : undefined}>
                        {name}
                        {path === '/approvals' ? (
                          <span id={ID.waitingCount}>{waiting === 0 ? '' : waiting}</span>
                        ) : null}
                      </Link>
                    ))}
                  </nav>
                  {own === undefined ? (
                    <span class="who">
                      <Quoted text={visitor.owner.email} />
                    </span>
                  ) : (
                    <Form action="/sign-out" token={visitor.token} class="sign-out">
                      <span class="who">
                        <Quoted text={visitor.owner.email} />
                      </span>
                      <button type="submit" class="outline secondary">
                        Sign out
                      </button>
                    </Form>
                  )}
                </>
              )}
            </header>
            {visitor === undefined ? null : <p id={ID.announcement} aria-live="polite" />}
            <main class="container" id="content" tabIndex={-1}>
              {shown.body}
            </main>
            {/* For the button that shows the keys. */}
            {visitor === undefined ? null : <footer class="container" />}
          </body>
        </html>
      </DateLanguage.Provider>
    </Base.Provider>,
  );
  return `<!doctype html>\n${markup}`;
}

function isWithin(path: string, page: string): boolean {
  return path === page || path.startsWith(`${page}/`);
}
