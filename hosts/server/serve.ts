import type { Owner } from '../../core/owners/owner-state.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Service } from '../../core/service/service.ts';
import { ownAddress } from '../http/host-name.ts';
import { publicBase } from '../http/public-base.ts';
import { type NodeHandlerOptions, nodeHandler } from '../node/node-handler.ts';
import { reachOfService } from './accounts/private-servers.ts';
import { addressOf } from './address.ts';
import { COMMON_OPTIONS, type Command, noPositionals, readArguments } from './command.ts';
import { type Configuration, readConfiguration } from './configuration.ts';
import { type Demo, openDemo } from './demo.ts';
import { imapConnect } from './imap-connect.ts';
import { certificateIn } from './listeners/certificate.ts';
import { listenOnLoopback } from './listeners/loopback-listener.ts';
import {
  apiRequestName,
  dashboardRequestName,
  observeRequests,
  signInRequestName,
} from './listeners/request-names.ts';
import { listen, type WebServer } from './listeners/web-server.ts';
import { jsonLog } from './log.ts';
import { type LoopWatch, watchLoop } from './loop-watch.ts';
import { type OpenedService, openService } from './open-service.ts';
import { pageAddress } from './owners/setup-link.ts';
import { useLog } from './process-events.ts';

/** From the signal. Work in progress, such as a send, may take until `STOP_WITHIN_MS`. The process ends within 10 s. */
const CALLS_END_WITHIN_MS = 7000;
const STOP_WITHIN_MS = 9000;
const EXIT_WITHIN_MS = 9500;

export const serve: Command = {
  name: 'serve',
  usage: '[--demo]',
  summary: 'runs the API, the dashboard and the host where assistants sign in',
  details: '--demo: with a temporary database, a sandbox mailbox, an owner and a key.',
  async run(args, terminal) {
    const options = { ...COMMON_OPTIONS, demo: { type: 'boolean' } } as const;
    const { values, positionals } = readArguments(args, options);
    noPositionals(positionals);
    const configuration = readConfiguration(terminal.env, terminal.folder);
    const log = jsonLog(configuration.log, terminal.log);
    useLog(log);
    const { host, port, tls, trustedProxies } = configuration;
    const certificate = tls && certificateIn(tls.certFile, tls.keyFile, log);
    const common = { trustedProxies, certificate };
    const api = await listen(host, port, { ...common, publicUrl: configuration.baseUrl });
    const dashboard = await listenOnLoopback(host, port === 0 ? 0 : port + 1, {
      ...common,
      publicUrl: configuration.dashboardUrl,
    });
    const signIn = await listen(host, port === 0 ? 0 : port + 2, {
      ...common,
      publicUrl: configuration.mcpUrl,
    });
    const addresses = {
      baseUrl: configuration.baseUrl ?? addressOf(host, api.port),
      dashboardUrl: configuration.dashboardUrl ?? addressOf(host, dashboard.port),
      mcpUrl: configuration.mcpUrl ?? addressOf(host, signIn.port),
    };
    const stopping = stopSignal();
    const watch = watchLoop(log);
    const demo = values.demo === true ? await openDemo(configuration, addresses, log, watch) : undefined;
    const opened = demo ?? (await openService(configuration, addresses, log, watch));
    const { service } = opened;
    openDoors(opened, { api, dashboard, signIn }, { configuration, isDemo: demo !== undefined, log, watch });
    service.start();
    terminal.print(
      outcome(service, demo),
      demo === undefined
        ? welcome(service, configuration, await nextSteps(service, terminal.isWatched))
        : demoWelcome(service, demo),
    );

    log.info('stopping', { signal: await stopping });
    const stopByMs = performance.now() + STOP_WITHIN_MS;
    setTimeout(() => process.exit(0), EXIT_WITHIN_MS).unref();
    await Promise.all([
      service.calls.endWaits(),
      ...[api, dashboard, signIn].map((server) => server.stop(CALLS_END_WITHIN_MS)),
    ]);
    try {
      await service.stop(stopByMs - performance.now());
    } finally {
      watch.stop();
      demo?.remove();
    }
    log.info('stopped');
  },
};

function openDoors(
  { service, reader }: OpenedService,
  { api, dashboard, signIn }: { api: WebServer; dashboard: WebServer; signIn: WebServer },
  {
    configuration,
    isDemo,
    log,
    watch,
  }: { configuration: Configuration; isDemo: boolean; log: Log; watch: LoopWatch },
): void {
  const open = (options: NodeHandlerOptions) =>
    nodeHandler(service, { trustedProxies: configuration.trustedProxies, log, ...options });
  const programs = open({ doors: ['rest', 'mcp'] });
  api.answerWith(observeRequests(programs, watch, apiRequestName), programs.clientError);
  signIn.answerWith(observeRequests(open({ doors: ['sign-in'] }), watch, signInRequestName));
  // The demo connects no account, and names `countersign serve` instead.
  const pages = open({
    doors: ['dashboard'],
    ...(!isDemo && { connect: imapConnect({ reader, ...reachOfService(configuration, service) }) }),
  });
  dashboard.answerWith(observeRequests(pages, watch, dashboardRequestName));
  dashboard.attach(pages.attachUpgrade);
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}

function outcome({ baseUrl, dashboardUrl, mcpUrl }: Service, demo: Demo | undefined) {
  const addresses = { base_url: baseUrl, dashboard_url: dashboardUrl, mcp_url: mcpUrl };
  return demo === undefined ? addresses : { ...addresses, owner: demo.owner, api_key: demo.apiKey };
}

/** The URL to open in a browser, and a second one for browsers that do not resolve the first. */
function dashboardLines(dashboardUrl: string): string {
  const own = ownAddress(dashboardUrl);
  return own === undefined
    ? dashboardUrl
    : `${own}\n             (or ${dashboardUrl}, if your browser cannot find it)`;
}

const PHONE = `
  Phone      set COUNTERSIGN_DASHBOARD_URL to an https address (docs/self-hosting.md, “Reach it from a phone”)`;

/** @param next  what is still to do */
function welcome(
  { baseUrl, dashboardUrl, mcpUrl }: Service,
  configuration: Configuration,
  next: string,
): string {
  const api = publicBase(baseUrl);
  return `Countersign is ready.

  API        ${baseUrl}
  MCP        ${api.address('/mcp')} (with a key), ${mcpUrl}/mcp (with a sign-in)
  Dashboard  ${dashboardLines(dashboardUrl)}
  Data       ${configuration.database.name}${configuration.dashboardUrl === undefined ? PHONE : ''}${next}`;
}

/**
 * What the first owner still has to do. Empty once a mailbox and a key are there.
 * @param isWatched  a person sees this, and no log keeps it: it may contain the link of the first run
 */
async function nextSteps(service: Service, isWatched: boolean): Promise<string> {
  const [owner, ...others] = (await service.owners.list({ limit: 2 })).owners;
  if (others.length > 0) return '';
  const commands = await nextCommands(service, owner);
  if (commands.length === 0) return '';
  const listed = commands.map((command) => `\n  ${command}`).join('');
  if (owner !== undefined) return `\n\nNext, in another terminal, while this runs:${listed}`;
  return `\n\n${await firstStep(service, isWatched)}\n\nOr on the command line, in another terminal, while this runs:${listed}`;
}

async function firstStep(service: Service, isWatched: boolean): Promise<string> {
  const opened = isWatched ? await service.setup.open() : undefined;
  return opened === undefined
    ? 'Next, in a terminal: countersign setup-link\n  (prints a link that makes its user the owner)'
    : 'Next, open this link within an hour. It makes you the owner, and works once:\n\n' +
        `  ${pageAddress(service.dashboardUrl, opened.page).lines}\n\n` +
        'For another one: countersign setup-link';
}

async function nextCommands(service: Service, owner: Owner | undefined): Promise<readonly string[]> {
  const email = owner?.email ?? 'EMAIL';
  const addOwner = owner === undefined ? [`countersign owner add ${email}`] : [];
  const accounts = owner === undefined ? [] : await service.accounts.list(owner.ownerId);
  const addAccount =
    accounts.length === 0 ? [`countersign account add --owner ${email} --email ADDRESS`] : [];
  const keys = owner === undefined ? [] : await service.keys.list(owner.ownerId);
  const addKey = keys.every((key) => key.revokedAt !== null)
    ? [
        `countersign key add --owner ${email} --name NAME --preset read|organise|full`,
        `curl -H 'Authorization: Bearer API_KEY' ${publicBase(service.baseUrl).address('/v1/me')}`,
      ]
    : [];
  return [...addOwner, ...addAccount, ...addKey];
}

function demoWelcome({ baseUrl, dashboardUrl, mcpUrl }: Service, { owner, apiKey }: Demo): string {
  const api = publicBase(baseUrl);
  return `Countersign is ready, with a sandbox mailbox. Nothing leaves this machine, and nothing is kept.

  API        ${baseUrl}
  MCP        ${api.address('/mcp')} (with a key), ${mcpUrl}/mcp (with a sign-in)
  Dashboard  ${dashboardLines(dashboardUrl)}
  Email      ${owner.email}
  Password   ${owner.password}
  API key    ${apiKey}

Next:
  1. Request a message to be sent, as a program would:
     curl -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' \\
       -d '{"to":["ada@example.org"],"subject":"Hello","body":"Hello from Countersign."}' ${api.address('/v1/messages')}
  2. Nothing has happened yet. Sign in and decide: ${publicBase(ownAddress(dashboardUrl) ?? dashboardUrl).address('/approvals')}
  3. For your own mailbox: countersign serve`;
}
