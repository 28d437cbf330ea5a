// Countersign below /countersign of an Express app, whose users are the owners. The app's body parsers come first.
// Run it: npm install express && node examples/express.mjs
import { once } from 'node:events';
import { nodeHandler } from 'countersign/node';
import express from 'express';
import { openService } from './app/service.mjs';
import { confirm, passwordPage, safeNext, sessionOf, signIn } from './app/users.mjs';

const app = express();
const server = app.listen(Number(process.env.PORT ?? 0), '127.0.0.1');
// Answers a client that closes its sending side after its request.
server.httpAllowHalfOpen = true;
await once(server, 'listening');
// Behind a proxy, APP_URL is the address that browsers use.
const origin = process.env.APP_URL ?? `http://127.0.0.1:${server.address().port}`;
const { service, announce } = await openService(`${origin}/countersign`);

app.use(express.json(), express.urlencoded({ extended: false }));
app.use(
  '/countersign',
  nodeHandler(service, {
    session: (req) => sessionOf(req.headers.cookie),
    signInUrl: '/login',
    stepUpUrl: '/confirm',
    trustedProxies: ['127.0.0.1'],
  }),
);
app.get(['/login', '/confirm'], (req, res) => res.send(passwordPage(req.path, req.query.next)));
app.post('/login', (req, res) => {
  const cookie = signIn(req.body);
  if (cookie === undefined) return res.status(422).send(passwordPage(req.path, req.body.next));
  res.set('Set-Cookie', cookie).redirect(303, safeNext(req.body.next));
});
app.post('/confirm', (req, res) => {
  if (!confirm(req.headers.cookie, req.body))
    return res.status(422).send(passwordPage(req.path, req.body.next));
  res.redirect(303, safeNext(req.body.next));
});
app.get('/', (_req, res) => res.send('The app itself.\n'));
announce(server);
