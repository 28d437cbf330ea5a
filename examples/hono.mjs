// Countersign below /countersign of a Hono app, whose users are the owners.
// Run it: npm install hono @hono/node-server && node examples/hono.mjs
import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { fetchHandler } from 'countersign/fetch';
import { Hono } from 'hono';
import { openService } from './app/service.mjs';
import { confirm, passwordPage, safeNext, sessionOf, signIn } from './app/users.mjs';

const app = new Hono();
const server = serve({ fetch: (...args) => app.fetch(...args), port: 0, hostname: '127.0.0.1' });
await once(server, 'listening');
const { service, announce } = await openService(`http://127.0.0.1:${server.address().port}/countersign`);

const mount = fetchHandler(service, {
  // A Fetch request does not contain the address of the caller. Hono's context does.
  address: (_request, context) => getConnInfo(context).remote.address,
  session: (request) => sessionOf(request.headers.get('cookie')),
  signInUrl: '/login',
  stepUpUrl: '/confirm',
});
app.all('/countersign/*', (context) => mount(context.req.raw, context));
for (const path of ['/login', '/confirm']) {
  app.get(path, (context) => context.html(passwordPage(path, context.req.query('next'))));
  app.post(path, async (context) => {
    const form = await context.req.parseBody();
    const cookie = path === '/login' ? signIn(form) : undefined;
    if (cookie === undefined && !(path === '/confirm' && confirm(context.req.header('cookie'), form))) {
      return context.html(passwordPage(path, form.next), 422);
    }
    if (cookie !== undefined) context.header('Set-Cookie', cookie);
    return context.redirect(safeNext(form.next), 303);
  });
}
app.get('/', (context) => context.text('The app itself.\n'));
announce(server);
