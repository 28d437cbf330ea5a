import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Owner } from '../../core/ports/storage.ts';
import type { StoredSession } from '../../core/session.ts';
import { ICON_PATH, SCRIPT_PATH, STYLE_PATH } from './assets.ts';
import { Form } from './forms.tsx';
import { Quoted } from './third-party-text.tsx';
import { visibleText } from './visible-text.ts';

const PAGES = [
  ['/approvals', 'Approvals'],
  ['/accounts', 'Accounts'],
  ['/integrations', 'Integrations'],
  ['/trackers', 'Trackers'],
  ['/activity', 'Activity'],
  ['/settings', 'Settings'],
] as const;

/** Renders the whole document. `visitor` is undefined on pages that need no sign-in. */
export function documentOf(shown: {
  title: string;
  path: string;
  visitor: { owner: Owner; session: StoredSession; token: string } | undefined;
  refreshS: number | undefined;
  body: VNode;
}): string {
  const { visitor } = shown;
  const markup = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {shown.refreshS === undefined ? null : <meta http-equiv="refresh" content={String(shown.refreshS)} />}
        <title>{`${visibleText(shown.title)} · Countersign`}</title>
        <link rel="icon" type="image/svg+xml" href={ICON_PATH} />
        <link rel="stylesheet" href={STYLE_PATH} />
        {/* Not deferred: it must run before any form can be sent. */}
        <script src={SCRIPT_PATH} data-session={visitor?.session.id} data-key={visitor?.session.proofKey} />
      </head>
      <body>
        <header class="container">
          <a class="brand" href="/approvals">
            Countersign
          </a>
          {visitor === undefined ? null : (
            <>
              <nav aria-label="Pages">
                {PAGES.map(([path, name]) => (
                  <a href={path} aria-current={isWithin(shown.path, path) ? 'page' : undefined}>
                    {name}
                  </a>
                ))}
              </nav>
              <Form action="/sign-out" token={visitor.token} class="sign-out">
                <span class="who">
                  <Quoted text={visitor.owner.email} />
                </span>
                <button type="submit" class="outline secondary">
                  Sign out
                </button>
              </Form>
            </>
          )}
        </header>
        <main class="container">{shown.body}</main>
      </body>
    </html>,
  );
  return `<!doctype html>\n${markup}`;
}

function isWithin(path: string, page: string): boolean {
  return path === page || path.startsWith(`${page}/`);
}
