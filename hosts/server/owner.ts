import { parseArgs } from 'node:util';
import { COMMON_OPTIONS, type Command, onlyPositional } from './command.ts';
import { findOwner, withService } from './open-service.ts';

const ownerAdd: Command = {
  name: 'owner add',
  usage: 'EMAIL [--timezone ZONE]',
  summary: 'adds an owner; the dashboard password comes from stdin',
  async run(args, terminal) {
    const options = { ...COMMON_OPTIONS, timezone: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const email = onlyPositional(positionals, 'EMAIL');
    const { timezone } = values;
    const password = await terminal.secret('Password');
    const { ownerId } = await withService(terminal, (service) =>
      service.owners.create({ email, password, ...(timezone === undefined ? {} : { timezone }) }),
    );
    terminal.print(
      { owner_id: ownerId },
      `Owner ${email} is added.\n` +
        `Next: countersign account add --owner ${email} --email ADDRESS\n` +
        `      countersign key add --owner ${email} --name NAME --preset read|organise|full`,
    );
  },
};

const ownerPassword: Command = {
  name: 'owner password',
  usage: 'EMAIL',
  summary: 'sets a new password, read from stdin, and ends all sessions',
  async run(args, terminal) {
    const { positionals } = parseArgs({ args, options: COMMON_OPTIONS, allowPositionals: true });
    const email = onlyPositional(positionals, 'EMAIL');
    const password = await terminal.secret('New password');
    const ownerId = await withService(terminal, async (service) => {
      const owner = await findOwner(service, email);
      await service.owners.setPassword(owner.ownerId, password);
      return owner.ownerId;
    });
    terminal.print(
      { owner_id: ownerId },
      `The password of ${email} is changed, and all its sessions have ended.`,
    );
  },
};

export const OWNER_COMMANDS: readonly Command[] = [ownerAdd, ownerPassword];
