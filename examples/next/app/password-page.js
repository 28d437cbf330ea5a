export function passwordPage(path, next, status = 200) {
  const page = globalThis.shared.users.passwordPage(path, next);
  return new Response(page, { status, headers: { 'Content-Type': 'text/html' } });
}

/** Redirects to the page that asked for the password. */
export function seeOther(next, headers) {
  const { safeNext } = globalThis.shared.users;
  return new Response(null, { status: 303, headers: { ...headers, Location: safeNext(next) } });
}
