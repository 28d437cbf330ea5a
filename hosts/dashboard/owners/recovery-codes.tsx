import { Link } from '../links.tsx';
import { type PageReply, page } from '../visit.ts';

/** Returned directly as the response to the form: the codes are shown once, so they have no URL of their own. */
export function recoveryCodesPage(done: string, codes: readonly string[]): PageReply {
  return page(
    'Recovery codes',
    <section class="narrow">
      <h1>Recovery codes</h1>
      <p role="status">{done}</p>
      <p>
        If you lose your second step, each of these codes lets you in once. They are shown only now: print
        them, or keep them where you keep your passwords.
      </p>
      <ol class="codes" id="recovery-codes">
        {codes.map((code) => (
          <li>
            <code>{inGroups(code)}</code>
          </li>
        ))}
      </ol>
      <p>
        <Link class="button-like" to="/settings">
          I have kept them
        </Link>
      </p>
    </section>,
  );
}

/** Groups of four, for the eye. */
export function inGroups(text: string): string {
  return text.match(/.{1,4}/g)?.join(' ') ?? '';
}
