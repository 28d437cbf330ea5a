import { passwordPage, seeOther } from '../password-page.js';

export function GET(request) {
  return passwordPage('/confirm', request.nextUrl.searchParams.get('next'));
}

export async function POST(request) {
  const form = Object.fromEntries(await request.formData());
  return globalThis.shared.users.confirm(request.headers.get('cookie'), form)
    ? seeOther(form.next)
    : passwordPage('/confirm', form.next, 422);
}
