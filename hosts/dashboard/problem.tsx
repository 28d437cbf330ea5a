import { Link } from './links.tsx';
import { type PageReply, page } from './visit.ts';

/** A page with one plain sentence about what went wrong. */
export function problemPage(status: number, title: string, text: string): PageReply {
  return page(
    title,
    <section>
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <Link to="/approvals">Go to the approvals</Link>
      </p>
    </section>,
    status,
  );
}

export function notFoundPage(): PageReply {
  return problemPage(404, 'Not found', 'This page does not exist, or what it showed is gone.');
}

export function staleFormPage(): PageReply {
  return problemPage(
    403,
    'Nothing was done',
    'This form belongs to an earlier session. Open its page again and repeat the step.',
  );
}
