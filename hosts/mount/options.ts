import { readBasePath } from '../../core/contract/base-path.ts';
import type { OptionTypes } from '../../core/contract/options.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Service } from '../../core/service/service.ts';
import type { AppSignIn, Connect } from '../dashboard/visit.ts';
import { trustedProxies } from '../http/client-address.ts';
import { publicBase } from '../http/public-base.ts';

/**
 * The parts of Countersign that a mount serves. `rest`: `/v1` and `/healthz`, at `baseUrl`. `mcp`: `/mcp` with a key, at
 * `baseUrl`. `dashboard`: the owner's pages, at `dashboardUrl`. `sign-in`: the host where assistants sign in, at
 * `mcpUrl`, always alone.
 */
export type Door = keyof typeof SETTINGS;

/** The option of `createService` with the address of each door. */
const SETTINGS = {
  rest: 'baseUrl',
  mcp: 'baseUrl',
  dashboard: 'dashboardUrl',
  'sign-in': 'mcpUrl',
} as const;

/** The options of a mount, except the app's session and what a transport needs. */
export interface MountOptions {
  /** Default: `rest`, `mcp` and `dashboard`. */
  readonly doors?: readonly Door[];
  /**
   * The path of the mount, as requests arrive here. Default: the path of `baseUrl` and `dashboardUrl`. It may only
   * differ if a proxy in front removes the first part of their path.
   */
  readonly basePath?: string;
  /** The app's sign-in page: a path on the dashboard's origin, or a whole URL. With `session` only. */
  readonly signInUrl?: string;
  /** The app's page where a signed-in person proves again who they are. With `session` only. */
  readonly stepUpUrl?: string;
  /** Lets owners connect mailboxes on the pages, for example `imapConnect({ reader })`. Default: they cannot. */
  readonly connect?: Connect;
  /** Trusted proxies: addresses, or networks like `10.0.0.0/8`. */
  readonly trustedProxies?: readonly string[];
  /** Receives failures. Default: they are not logged. */
  readonly log?: Log;
}

export const MOUNT_OPTIONS: OptionTypes<MountOptions> = {
  doors: ['optional', 'object'],
  basePath: ['optional', 'string'],
  signInUrl: ['optional', 'string'],
  stepUpUrl: ['optional', 'string'],
  connect: ['optional', 'object'],
  trustedProxies: ['optional', 'object'],
  log: ['optional', 'object'],
};

/** What a mount serves where. */
export interface MountPlan {
  readonly doors: ReadonlySet<Door>;
  /** Without a slash at its end. */
  readonly basePath: string;
  /** Where the mount is, for a request that missed it. */
  readonly expected: { readonly address: string; readonly setting: (typeof SETTINGS)[Door] };
  readonly appSignIn: AppSignIn | undefined;
}

/**
 * Decides what a mount serves where.
 * @param name  of the function that mounts it, for errors
 * @param options  their names and types are checked
 * @throws Error naming the option and the remedy
 */
export function planMount(
  name: 'nodeHandler' | 'fetchHandler',
  service: Service,
  options: MountOptions & { readonly session?: unknown },
): MountPlan {
  const wrong = (problem: string) => new Error(`${name}: ${problem}.`);
  trustedProxies(options.trustedProxies ?? []);
  const doors = doorsOf(wrong, options.doors);
  if (options.connect !== undefined && typeof options.connect.settings !== 'function') {
    throw wrong('connect must be an object with the function settings, such as imapConnect({ reader })');
  }
  const addresses = [...new Set([...doors].map((door) => SETTINGS[door]))].map((setting) => {
    const address = service[setting];
    if (address === undefined) throw wrong(`the door sign-in needs the option ${setting} of createService`);
    return { setting, address, path: publicBase(address).path('') };
  });
  const [first, second] = addresses;
  if (first === undefined) throw wrong('doors is empty');
  if (options.basePath === undefined && second !== undefined && first.path !== second.path) {
    throw wrong(
      `${first.setting} and ${second.setting} have different paths. Mount their doors one by one, with the option doors`,
    );
  }
  const basePath = readBasePath(options.basePath ?? first.path);
  if (basePath === undefined) {
    throw wrong(
      'basePath must be a path such as /countersign, of letters, digits, and the characters . _ ~ - between slashes',
    );
  }
  for (const { setting, address, path } of addresses) {
    if (path.endsWith(basePath)) continue;
    const { origin } = new URL(address);
    throw wrong(
      `basePath is ${basePath}, but ${setting} is ${address}. Pass ${setting}: '${origin}${basePath}' to createService`,
    );
  }
  return {
    doors,
    basePath,
    expected: second ?? first,
    appSignIn: appSignInOf(wrong, options),
  };
}

/** The error about an option. */
type Wrong = (problem: string) => Error;

function doorsOf(
  wrong: Wrong,
  given: MountOptions['doors'] = ['rest', 'mcp', 'dashboard'],
): ReadonlySet<Door> {
  const unknown = given.find((door) => !Object.hasOwn(SETTINGS, door));
  if (unknown !== undefined) {
    throw wrong(`doors has no ${String(unknown)}. The doors are ${Object.keys(SETTINGS).join(', ')}`);
  }
  const doors = new Set(given);
  if (doors.has('sign-in') && doors.size > 1) {
    throw wrong('the door sign-in has an origin of its own. Mount it alone');
  }
  return doors;
}

function appSignInOf(
  wrong: Wrong,
  { session, signInUrl, stepUpUrl }: MountOptions & { readonly session?: unknown },
): AppSignIn | undefined {
  const given = Object.entries({ session, signInUrl, stepUpUrl }).filter(([, value]) => value !== undefined);
  if (given.length === 0) return undefined;
  if (session === undefined || signInUrl === undefined || stepUpUrl === undefined) {
    throw wrong('session (a function), signInUrl and stepUpUrl belong together. Pass all of them, or none');
  }
  for (const [name, url] of Object.entries({ signInUrl, stepUpUrl })) {
    if (isAppUrl(url)) continue;
    throw wrong(`${name} must be a path such as /login, or a whole URL, without a fragment`);
  }
  return { signInUrl, stepUpUrl };
}

/** A path keeps its characters in a header. `//host` and `/\host` would lead to a different host. */
function isAppUrl(url: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(url) || url.includes('#')) return false;
  if (url.startsWith('/')) return !/^\/[/\\]/.test(url);
  return /^https?:\/\//.test(url) && URL.canParse(url);
}
