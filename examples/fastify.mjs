// Countersign below /countersign of a Fastify app, whose users are the owners. Two ways: with @fastify/middie, before
// Fastify reads the body; or, with the argument `parsed`, as a route that gets the body from Fastify's parsers.
// Run it: npm install fastify @fastify/middie && node examples/fastify.mjs [parsed]
import middie from '@fastify/middie';
import { nodeHandler } from 'countersign/node';
import fastify from 'fastify';
import { openService } from './app/service.mjs';
import { confirm, passwordPage, safeNext, sessionOf, signIn } from './app/users.mjs';

const app = fastify();
// Answers a client that closes its sending side after its request.
app.server.httpAllowHalfOpen = true;
// The address is needed before the routes, and Fastify takes no route once it listens.
const port = Number(process.env.PORT ?? 3000);
const { service, announce } = await openService(`http://127.0.0.1:${port}/countersign`);

const mount = nodeHandler(service, {
  session: (req) => sessionOf(req.headers.cookie),
  signInUrl: '/login',
  stepUpUrl: '/confirm',
});
const form = 'application/x-www-form-urlencoded';
app.addContentTypeParser(form, { parseAs: 'string' }, (_request, body, done) => {
  done(null, Object.fromEntries(new URLSearchParams(body)));
});
if (process.argv[2] === 'parsed') {
  const handler = (request, reply) => {
    reply.hijack();
    request.raw.body = request.body;
    mount(request.raw, reply.raw);
  };
  app.all('/countersign', handler);
  app.all('/countersign/*', handler);
} else {
  await app.register(middie);
  app.use('/countersign', mount);
}
for (const path of ['/login', '/confirm']) {
  app.get(path, (request, reply) => reply.type('text/html').send(passwordPage(path, request.query.next)));
}
app.post('/login', (request, reply) => {
  const cookie = signIn(request.body);
  if (cookie === undefined)
    return reply.code(422).type('text/html').send(passwordPage('/login', request.body.next));
  return reply.header('Set-Cookie', cookie).redirect(safeNext(request.body.next), 303);
});
app.post('/confirm', (request, reply) => {
  if (confirm(request.headers.cookie, request.body)) return reply.redirect(safeNext(request.body.next), 303);
  return reply.code(422).type('text/html').send(passwordPage('/confirm', request.body.next));
});
app.get('/', () => 'The app itself.\n');
await app.listen({ port, host: '127.0.0.1' });
announce(app.server);
