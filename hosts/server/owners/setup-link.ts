import { ownAddress } from '../../http/host-name.ts';
import { publicBase } from '../../http/public-base.ts';
import { COMMON_OPTIONS, type Command, noPositionals, readArguments } from '../command.ts';
import { readConfiguration } from '../configuration.ts';
import { withService } from '../with-service.ts';

export const setupLink: Command = {
  name: 'setup-link',
  usage: '',
  summary: 'prints a link for the first run, which makes its user the owner',
  details: 'It works once, for an hour, and only while there is no owner. The link before it ends.',
  async run(args, terminal) {
    noPositionals(readArguments(args, COMMON_OPTIONS).positionals);
    const { port, dashboardUrl } = readConfiguration(terminal.env, terminal.folder);
    if (port === 0 && dashboardUrl === undefined) {
      throw new Error(
        'With port 0, only `countersign serve` knows the address of the dashboard. Set COUNTERSIGN_DASHBOARD_URL to it.',
      );
    }
    await withService(terminal, async (service, { database }) => {
      const opened = await service.setup.open();
      if (opened === undefined) {
        const [owner] = (await service.owners.list({ limit: 1 })).owners;
        throw new Error(
          `There is an owner in ${database.name} already. Sign in on the dashboard; for a new password: ` +
            `countersign owner password ${owner?.email ?? 'EMAIL'}`,
        );
      }
      const { page, expiresAt } = opened;
      const address = pageAddress(service.dashboardUrl, page);
      terminal.print(
        { setup_url: address.url, expires_at: expiresAt.toISOString() },
        `Open this link within an hour, while \`countersign serve\` runs. It makes you the owner, and works once:\n\n` +
          `  ${address.lines}`,
      );
    });
  },
};

/** The URL of a page to open in a browser. `lines`: with a second one for browsers that do not resolve the first. */
export function pageAddress(
  dashboardUrl: string,
  page: string,
): { readonly url: string; readonly lines: string } {
  const plain = publicBase(dashboardUrl).address(page);
  const own = ownAddress(dashboardUrl);
  if (own === undefined) return { url: plain, lines: plain };
  const url = `${own}${page}`;
  return { url, lines: `${url}\n  (or ${plain}, if your browser cannot find it)` };
}
