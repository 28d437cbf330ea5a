import { type PageReply, page } from '../visit.ts';

/** A page that says in one plain sentence why there is no other. */
export function problemPage(status: number, title: string, text: string): PageReply {
  return page(
    title,
    <section>
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <a href="/approvals">To the approvals</a>
      </p>
    </section>,
    status,
  );
}

export function notFoundPage(): PageReply {
  return problemPage(404, 'Not found', 'There is no such page, or what it showed is gone.');
}

export function staleFormPage(): PageReply {
  return problemPage(
    403,
    'Nothing was done',
    'This form does not belong to your present session. Open its page again and repeat what you wanted to do.',
  );
}
