import type { WebhookEndpoint } from '../../../core/events/webhooks.ts';
import { Link } from '../links.tsx';

/** Tells the owner about endpoints that were disabled. Renders nothing if there are none. */
export function DisabledEndpoints({ endpoints }: { endpoints: readonly WebhookEndpoint[] }) {
  const count = endpoints.filter(({ disabled }) => disabled !== null).length;
  if (count === 0) return null;
  return (
    <p class="note" id="disabled-endpoints">
      {count === 1 ? 'A webhook endpoint was disabled' : `${count} webhook endpoints were disabled`}: nothing
      is sent to {count === 1 ? 'it' : 'them'} any more.{' '}
      <Link to="/integrations/webhooks">See the reason</Link>
    </p>
  );
}
