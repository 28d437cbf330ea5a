// Countersign below /countersign of a Next app, whose users are the owners. Next runs this once, when its server starts.
// Run it: npm install next react react-dom && npx next build examples/next
//         PORT=3000 NEXT_MANUAL_SIG_HANDLE=true npx next start examples/next
// Without NEXT_MANUAL_SIG_HANDLE, Next ends the process at SIGTERM before the service has stopped.
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { fetchHandler } = await import('countersign/fetch');
  const { openService } = await import('../app/service.mjs');
  const users = await import('../app/users.mjs');
  const origin = process.env.APP_URL ?? `http://127.0.0.1:${process.env.PORT}`;
  const { service, announce } = await openService(`${origin}/countersign`);
  // Next bundles each route by itself, so this is the place for what they share.
  globalThis.shared = {
    users,
    mount: fetchHandler(service, {
      // Next does not report the caller's address. In production, a proxy in front must set this header.
      address: (request) => request.headers.get('x-forwarded-for').split(',').at(-1).trim(),
      session: (request) => users.sessionOf(request.headers.get('cookie')),
      signInUrl: '/login',
      stepUpUrl: '/confirm',
    }),
  };
  announce();
}
