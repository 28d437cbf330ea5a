import { createHash } from 'node:crypto';
import type { Dashboard } from './open-dashboard.ts';

/** The path of the page that asks whether an assistant may sign in. */
export async function assistantPage({ service }: Dashboard): Promise<string> {
  const redirect_uri = 'http://127.0.0.1/callback';
  const client = service.signIns.register({ redirect_uris: [redirect_uri], client_name: 'n' });
  if (client.kind === 'refused') throw new Error(client.description);
  const issuer = 'https://mcp.example.org';
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri,
    code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${issuer}/mcp`,
  });
  const asked = await service.signIns.authorize(parameters, issuer, '192.0.2.1');
  if (asked.kind === 'refused') throw new Error(asked.description);
  return asked.page;
}
