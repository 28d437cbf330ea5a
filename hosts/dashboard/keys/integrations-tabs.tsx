import { Link } from '../links.tsx';

/** The two pages of Integrations. */
export function IntegrationsTabs({ current }: { current: 'keys' | 'webhooks' }) {
  return (
    <p class="pages">
      <Link to="/integrations" aria-current={current === 'keys' ? 'page' : undefined}>
        Keys
      </Link>
      <Link to="/integrations/webhooks" aria-current={current === 'webhooks' ? 'page' : undefined}>
        Webhooks
      </Link>
    </p>
  );
}
