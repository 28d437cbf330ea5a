import { passwordPage, seeOther } from '../password-page.js';

export function GET(request) {
  return passwordPage('/login', request.nextUrl.searchParams.get('next'));
}

export async function POST(request) {
  const form = Object.fromEntries(await request.formData());
  const cookie = globalThis.shared.users.signIn(form);
  return cookie === undefined
    ? passwordPage('/login', form.next, 422)
    : seeOther(form.next, { 'Set-Cookie': cookie });
}
