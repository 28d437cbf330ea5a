// Countersign below /countersign of a Koa app, whose users are the owners.
// Run it: npm install koa && node examples/koa.mjs
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { nodeHandler } from 'countersign/node';
import Koa from 'koa';
import { openService } from './app/service.mjs';
import { confirm, passwordPage, safeNext, sessionOf, signIn } from './app/users.mjs';

const app = new Koa();
const server = createServer().listen(0, '127.0.0.1');
// Answers a client that closes its sending side after its request.
server.httpAllowHalfOpen = true;
await once(server, 'listening');
const { service, announce } = await openService(`http://127.0.0.1:${server.address().port}/countersign`);

const mount = nodeHandler(service, {
  session: (req) => sessionOf(req.headers.cookie),
  signInUrl: '/login',
  stepUpUrl: '/confirm',
});
// Before any body parser. A parser that comes first has to set ctx.req.body.
app.use((ctx, next) => {
  if (!/^\/countersign(\/|$)/.test(ctx.path)) return next();
  ctx.respond = false;
  mount(ctx.req, ctx.res);
});
app.use(async (ctx) => {
  if (ctx.path !== '/login' && ctx.path !== '/confirm') {
    ctx.body = 'The app itself.\n';
    return;
  }
  if (ctx.method !== 'POST') {
    ctx.body = passwordPage(ctx.path, ctx.query.next);
    return;
  }
  const form = Object.fromEntries(new URLSearchParams(await text(ctx.req)));
  const cookie = ctx.path === '/login' ? signIn(form) : undefined;
  if (cookie === undefined && !(ctx.path === '/confirm' && confirm(ctx.get('cookie'), form))) {
    ctx.status = 422;
    ctx.body = passwordPage(ctx.path, form.next);
    return;
  }
  if (cookie !== undefined) ctx.set('Set-Cookie', cookie);
  ctx.redirect(safeNext(form.next));
  ctx.status = 303;
});
server.on('request', app.callback());
announce(server);
