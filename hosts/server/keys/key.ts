import type { Credential } from '../../../core/keys/live-key.ts';
import {
  GROUPS,
  type Group,
  type Mode,
  modesOf,
  PRESETS,
  type Preset,
} from '../../../core/keys/permissions.ts';
import type { Service } from '../../../core/service/service.ts';
import { publicBase } from '../../http/public-base.ts';
import {
  type Command,
  noPositionals,
  OWNER_OPTIONS,
  onlyPositional,
  readArguments,
  required,
  UsageError,
} from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { withOwner } from '../with-service.ts';

const keyAdd: Command = {
  name: 'key add',
  usage:
    '--owner EMAIL --name NAME --preset read|organise|full [--mode GROUP=MODE …] [--account ID …] ' +
    '[--recipient ADDRESS|DOMAIN …] [--days DAYS]',
  summary: 'creates a key for a program, and shows it once',
  details:
    'The preset is what the key may do. --mode changes one group, such as mail:send=approval. --account and --recipient ' +
    'are fences: the key reaches no other account, and writes to nobody else. It ends after 90 days, or after --days.',
  async run(args, terminal) {
    const options = {
      ...OWNER_OPTIONS,
      name: { type: 'string' },
      preset: { type: 'string' },
      mode: { type: 'string', multiple: true },
      account: { type: 'string', multiple: true },
      recipient: { type: 'string', multiple: true },
      days: { type: 'string' },
    } as const;
    const { values, positionals } = readArguments(args, options);
    noPositionals(positionals);
    const email = required(values.owner, '--owner');
    const wanted = {
      name: required(values.name, '--name'),
      preset: presetOf(required(values.preset, '--preset')),
      modes: Object.fromEntries((values.mode ?? []).map(modeOf)),
      fences: {
        accounts: values.account?.map((id) => wholeNumber(id, '--account')) ?? null,
        recipients: values.recipient ?? null,
      },
      ...(values.days === undefined ? {} : { days: wholeNumber(values.days, '--days') }),
    };
    const { keyId, apiKey, baseUrl } = await withOwner(terminal, email, async (service, { ownerId }) => ({
      ...(await service.keys.create({ ownerId, ...wanted })),
      baseUrl: service.baseUrl,
    }));
    terminal.print(
      { key_id: keyId, api_key: apiKey },
      `Key ${keyId} is created. It is shown only once:\n\n  ${apiKey}\n\n` +
        `Try it: curl -H 'Authorization: Bearer ${apiKey}' ${publicBase(baseUrl).address('/v1/me')}\n` +
        `Over MCP: ${publicBase(baseUrl).address('/mcp')}, with the same header.`,
    );
  },
};

const keyList: Command = {
  name: 'key list',
  usage: '--owner EMAIL',
  summary: "lists an owner's keys",
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OWNER_OPTIONS);
    noPositionals(positionals);
    const email = required(values.owner, '--owner');
    const keys = await withOwner(terminal, email, (service, { ownerId }) => service.keys.list(ownerId));
    terminal.print(
      { keys: keys.map(row) },
      keys.length === 0 ? `${email} has no keys.` : keys.map(line).join('\n'),
    );
  },
};

const keyPause = keyChange(
  'pause',
  'pauses a key: its waiting requests keep waiting',
  (service, ownerId, keyId) => service.keys.pause(ownerId, keyId),
  'paused',
);

const keyResume = keyChange(
  'resume',
  'ends the pause of a key',
  (service, ownerId, keyId) => service.keys.resume(ownerId, keyId),
  'resumed',
);

const keyRevoke = keyChange(
  'revoke',
  'revokes a key and cancels its waiting requests',
  (service, ownerId, keyId) => service.keys.revoke(ownerId, keyId),
  'revoked',
);

/** A command that changes one key. @param done what the key is afterwards */
function keyChange(
  verb: string,
  summary: string,
  change: (service: Service, ownerId: string, keyId: string) => Promise<void>,
  done: string,
): Command {
  const usage = 'KEY_ID --owner EMAIL';
  async function run(args: string[], terminal: Terminal): Promise<void> {
    const { values, positionals } = readArguments(args, OWNER_OPTIONS);
    const keyId = onlyPositional(positionals, 'KEY_ID');
    const email = required(values.owner, '--owner');
    await withOwner(terminal, email, async (service, { ownerId }) => {
      const keys = await service.keys.list(ownerId);
      if (!keys.some((key) => key.credentialId === keyId)) throw new Error(`${email} has no key ${keyId}.`);
      await change(service, ownerId, keyId);
    });
    terminal.print({ key_id: keyId }, `Key ${keyId} is ${done}.`);
  }
  return { name: `key ${verb}`, usage, summary, run };
}

export const KEY_COMMANDS: readonly Command[] = [keyAdd, keyList, keyPause, keyResume, keyRevoke];

function presetOf(text: string): Preset {
  const preset = Object.keys(PRESETS).find((name): name is Preset => name === text);
  if (preset === undefined)
    throw new UsageError(`--preset must be one of ${Object.keys(PRESETS).join(', ')}`);
  return preset;
}

function modeOf(text: string): [Group, Mode] {
  const [name, value] = text.split('=');
  const group = GROUPS.find((one) => one === name);
  if (group === undefined) throw new UsageError(`--mode: the groups are ${GROUPS.join(', ')}`);
  const mode = modesOf(group).find((one) => one === value);
  if (mode === undefined)
    throw new UsageError(`--mode: ${group} must be one of ${modesOf(group).join(', ')}`);
  return [group, mode];
}

function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${name} must be a whole number`);
  return Number(text);
}

function row(key: Credential) {
  return {
    key_id: key.credentialId,
    name: key.name,
    modes: key.modes,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
    paused_at: key.pausedAt?.toISOString() ?? null,
    fences: {
      accounts: key.fences.accounts,
      recipients: key.fences.recipients,
      until: key.fences.until?.toISOString() ?? null,
    },
    altered: key.isAltered,
  };
}

function line(key: Credential): string {
  const day = (date: Date) => date.toISOString().slice(0, 10);
  const end = key.revokedAt === null ? `expires ${day(key.expiresAt)}` : `revoked ${day(key.revokedAt)}`;
  const altered = key.isAltered ? '  CHANGED OUTSIDE COUNTERSIGN: revoke it' : '';
  const paused = key.pausedAt === null ? '' : `  paused ${day(key.pausedAt)}`;
  return `${key.credentialId}  ${end}${paused}  ${key.name}${altered}`;
}
