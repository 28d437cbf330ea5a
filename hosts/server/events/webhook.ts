import type { WebhookEndpoint } from '../../../core/events/webhooks.ts';
import type { Service } from '../../../core/service/service.ts';
import {
  COMMON_OPTIONS,
  type Command,
  noPositionals,
  onlyPositional,
  readArguments,
  required,
} from '../command.ts';
import { everyOwner } from '../owners/every-owner.ts';
import { withOwner, withService } from '../with-service.ts';

const webhookAdd: Command = {
  name: 'webhook add',
  usage: '--key KEY_ID --url URL',
  summary: 'sends the events of a key to an HTTPS address, and shows the signing secret once',
  async run(args, terminal) {
    const options = { ...COMMON_OPTIONS, key: { type: 'string' }, url: { type: 'string' } } as const;
    const { values, positionals } = readArguments(args, options);
    noPositionals(positionals);
    const keyId = required(values.key, '--key');
    const url = required(values.url, '--url');
    const { endpointId, secret } = await withService(terminal, async (service) => {
      const ownerId = await ownerOfKey(service, keyId);
      return service.webhooks.add({ ownerId, keyId, url });
    });
    terminal.print(
      { endpoint_id: endpointId, secret },
      `Endpoint ${endpointId} is added. Its secret is shown only once:\n\n  ${secret}\n\n` +
        'Requests are signed with it: see docs/webhooks.md.',
    );
  },
};

const webhookList: Command = {
  name: 'webhook list',
  usage: '--owner EMAIL',
  summary: "lists an owner's webhook endpoints",
  async run(args, terminal) {
    const options = { ...COMMON_OPTIONS, owner: { type: 'string' } } as const;
    const { values, positionals } = readArguments(args, options);
    noPositionals(positionals);
    const email = required(values.owner, '--owner');
    const endpoints = await withOwner(terminal, email, (service, { ownerId }) =>
      service.webhooks.list(ownerId),
    );
    terminal.print(
      { endpoints: endpoints.map(row) },
      endpoints.length === 0 ? `${email} has no webhook endpoints.` : endpoints.map(line).join('\n'),
    );
  },
};

const webhookRemove: Command = {
  name: 'webhook remove',
  usage: 'ENDPOINT_ID --owner EMAIL',
  summary: 'removes a webhook endpoint with its deliveries',
  async run(args, terminal) {
    const options = { ...COMMON_OPTIONS, owner: { type: 'string' } } as const;
    const { values, positionals } = readArguments(args, options);
    const endpointId = onlyPositional(positionals, 'ENDPOINT_ID');
    const email = required(values.owner, '--owner');
    await withOwner(terminal, email, async (service, { ownerId }) => {
      const endpoints = await service.webhooks.list(ownerId);
      if (!endpoints.some((one) => one.endpointId === endpointId)) {
        throw new Error(`${email} has no webhook endpoint ${endpointId}.`);
      }
      await service.webhooks.remove(ownerId, endpointId);
    });
    terminal.print({ endpoint_id: endpointId }, `Endpoint ${endpointId} is removed.`);
  },
};

export const WEBHOOK_COMMANDS: readonly Command[] = [webhookAdd, webhookList, webhookRemove];

async function ownerOfKey(service: Service, keyId: string): Promise<string> {
  const owners = everyOwner(async (page) => (await service.owners.list(page)).owners);
  for await (const { ownerId } of owners) {
    const keys = await service.keys.list(ownerId);
    const key = keys.find(({ credentialId }) => credentialId === keyId);
    if (key === undefined) continue;
    if (key.revokedAt !== null) throw new Error(`Key ${keyId} is revoked. Add the endpoint to another key.`);
    return ownerId;
  }
  throw new Error(`There is no key ${keyId}. List them: countersign key list --owner EMAIL`);
}

function row(endpoint: WebhookEndpoint) {
  return {
    endpoint_id: endpoint.endpointId,
    key_id: endpoint.keyId,
    url: endpoint.url,
    types: endpoint.types,
    created_at: endpoint.createdAt.toISOString(),
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    disabled: endpoint.disabled,
  };
}

function line({ endpointId, keyId, url, failingSince, disabled }: WebhookEndpoint): string {
  const failing = failingSince === null ? 'on' : `failing since ${failingSince.toISOString().slice(0, 10)}`;
  return `${endpointId}  ${keyId}  ${disabled === null ? failing : `off: ${disabled}`}  ${url}`;
}
