import { COMMON_OPTIONS, type Command, onlyPositional, readArguments } from '../command.ts';
import { withOwner, withService } from '../with-service.ts';

const ownerAdd: Command = {
  name: 'owner add',
  usage: 'EMAIL [--timezone ZONE]',
  summary: 'adds an owner; the dashboard password comes from stdin',
  async run(args, terminal) {
    const options = { ...COMMON_OPTIONS, timezone: { type: 'string' } } as const;
    const { values, positionals } = readArguments(args, options);
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
    const { positionals } = readArguments(args, COMMON_OPTIONS);
    const email = onlyPositional(positionals, 'EMAIL');
    const ownerId = await withOwner(terminal, email, async (service, owner) => {
      const password = await terminal.secret('New password');
      await service.owners.setPassword(owner.ownerId, password);
      return owner.ownerId;
    });
    terminal.print(
      { owner_id: ownerId },
      `The password of ${email} is changed, and all its sessions have ended.`,
    );
  },
};

const ownerSecondStepOff: Command = {
  name: 'owner second-step-off',
  usage: 'EMAIL',
  summary: 'removes the second step of an owner who has lost it',
  details: 'The password alone is enough to sign in after that.',
  async run(args, terminal) {
    const { positionals } = readArguments(args, COMMON_OPTIONS);
    const email = onlyPositional(positionals, 'EMAIL');
    const ownerId = await withOwner(terminal, email, async (service, owner) => {
      await service.secondSteps.removeAll(owner.ownerId);
      return owner.ownerId;
    });
    terminal.print(
      { owner_id: ownerId },
      `The second step of ${email} is removed. The password alone is enough to sign in.\n` +
        `If somebody else may know it: countersign owner password ${email}`,
    );
  },
};

export const OWNER_COMMANDS: readonly Command[] = [ownerAdd, ownerPassword, ownerSecondStepOff];
