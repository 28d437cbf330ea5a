import type { Result } from '../../core/contract/result.ts';
import { type Given, namedToolArguments, routeArguments } from './call-arguments.ts';
import type { JsonObject } from './json-body.ts';

/**
 * The routes. A route names its tool, and says how path, query and body become its arguments; what the tool
 * does, who may call it and what its arguments must be is the tool's own affair.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A segment in braces is a parameter. */
  readonly path: string;
  /** `describe`: the description of this API, the one answer that needs no key. */
  readonly call: 'list_tools' | 'describe' | ToolChoice;
  /** `required`: the body has fields that the route cannot do without. */
  readonly body: 'required' | 'optional';
  readonly form: AnswerForm;
  /** The address of what the call made: then the answer is a 201. */
  readonly created?: (result: Result) => string | undefined;
}

/**
 * `envelope`; `coded`: the same with the code as `error` in failures; `bare`: like `coded`, and a success is the
 * result itself.
 */
type AnswerForm = 'envelope' | 'coded' | 'bare';

/** How a request becomes the call of a tool. */
export interface ToolChoice {
  /** Of the operation, in the description of this API. */
  readonly name: string;
  /** The tools that it chooses among; none: the path names the tool. */
  readonly tools: readonly string[];
  /** Where the route has parameters besides its path. */
  readonly from: 'query' | 'body' | 'path';
  /** JSON Schemas of parameters that only choose, and are arguments of none of the tools. */
  readonly choosers?: Readonly<Record<string, JsonObject>>;
  /** Those of them that must be given. */
  readonly required?: readonly string[];
  /** The body is that of one of the tools: none of them takes what another does. */
  readonly apart?: true;
  /** @param inputSchemaOf the input schema of a tool that the caller may use; of any other an empty one */
  call(given: Given, inputSchemaOf: (tool: string) => JsonObject): { tool: string; args: unknown };
}

const NAMED_TOOL: ToolChoice = {
  name: 'call_tool',
  tools: [],
  from: 'body',
  call: (given) => ({ tool: given.path.name ?? '', args: namedToolArguments(given) }),
};

/** With any of q, from and since it is a search; else `unread` picks the list, and is no argument of either. */
const MESSAGE_LIST: ToolChoice = {
  name: 'list_messages',
  tools: ['summarize_inbox', 'list_unread', 'search_inbox'],
  from: 'query',
  call(given, inputSchemaOf) {
    const { query } = given;
    const searches = ['q', 'from', 'since'].some((name) => query.has(name));
    const unread = query.has('unread') ? query.getAll('unread').join() : 'false';
    // Any other value, or several: the search knows `unread`, and says what is wrong with it.
    const isStrange = unread !== 'true' && unread !== 'false';
    if (searches || isStrange) return tool('search_inbox', 'query').call(given, inputSchemaOf);
    const others = new URLSearchParams(query);
    others.delete('unread');
    const picked = tool(unread === 'true' ? 'list_unread' : 'summarize_inbox', 'query');
    return picked.call({ ...given, query: others }, inputSchemaOf);
  },
};

/** `proposed` picks the tool, and is no argument of either; any other value stays for validation to refuse. */
const NEW_EVENT: ToolChoice = {
  name: 'create_event',
  tools: ['create_event', 'propose_event'],
  from: 'body',
  choosers: {
    proposed: {
      type: 'boolean',
      default: false,
      description: 'true: the event is tentative, for the owner to confirm.',
    },
  },
  call(given, inputSchemaOf) {
    const { proposed, ...others } = given.body;
    const picked = tool(proposed === true ? 'propose_event' : 'create_event', 'body');
    return picked.call(typeof proposed === 'boolean' ? { ...given, body: others } : given, inputSchemaOf);
  },
};

/** To resolve is a tool of its own, and `status` no argument of it. */
const TRACKER_STATUS: ToolChoice = {
  name: 'set_tracker_status',
  tools: ['set_tracker_status', 'resolve_tracker'],
  from: 'body',
  choosers: { status: { type: 'string', enum: ['open', 'waiting', 'resolved'] } },
  required: ['status'],
  call(given, inputSchemaOf) {
    const { status, ...others } = given.body;
    if (status !== 'resolved') return tool('set_tracker_status', 'body').call(given, inputSchemaOf);
    return tool('resolve_tracker', 'body').call({ ...given, body: others }, inputSchemaOf);
  },
};

/** Which id is given picks the tool; both, or none, are for validation to refuse. */
const TRACKER_LINK: ToolChoice = {
  name: 'link_to_tracker',
  tools: ['link_to_tracker', 'link_event_to_tracker'],
  from: 'body',
  apart: true,
  call(given, inputSchemaOf) {
    const isEvent = Object.hasOwn(given.body, 'event_id') && !Object.hasOwn(given.body, 'message_id');
    const picked = tool(isEvent ? 'link_event_to_tracker' : 'link_to_tracker', 'body');
    return picked.call(given, inputSchemaOf);
  },
};

export const ROUTES: readonly Route[] = [
  read('/v1/me', tool('get_me', 'query'), 'bare'),
  read('/v1/tools', 'list_tools', 'bare'),
  write('/v1/tools/{name}', NAMED_TOOL, { body: 'required', form: 'coded' }),
  read('/v1/openapi.json', 'describe', 'bare'),

  read('/v1/approvals', tool('list_approvals', 'query'), 'bare'),
  read('/v1/approvals/{approval_id}', tool('get_approval', 'query'), 'coded'),
  write('/v1/approvals/{approval_id}/cancel', tool('cancel_approval', 'path'), { form: 'coded' }),

  read('/v1/accounts', tool('list_accounts', 'query')),
  read('/v1/folders', tool('list_folders', 'query')),

  read('/v1/messages', MESSAGE_LIST),
  write('/v1/messages', tool('send_email', 'body'), { body: 'required' }),
  read('/v1/messages/{id}', tool('get_email', 'query')),
  read('/v1/messages/{id}/attachments', tool('list_attachments', 'query')),
  read('/v1/messages/{id}/attachments/{index}', tool('read_attachment', 'query')),
  write('/v1/messages/{id}/reply', tool('send_reply', 'body'), { body: 'required' }),
  write('/v1/messages/{id}/forward', tool('forward_email', 'body'), { body: 'required' }),
  write('/v1/messages/{id}/archive', tool('archive_email', 'body')),
  write('/v1/messages/{id}/trash', tool('delete_email', 'body')),
  write('/v1/messages/{id}/move', tool('move_email', 'body'), { body: 'required' }),
  write('/v1/messages/{id}/label', tool('label_email', 'body'), { body: 'required' }),
  write('/v1/messages/{id}/mark-read', tool('mark_read', 'body')),
  write('/v1/messages/{id}/mark-unread', tool('mark_unread', 'body')),
  write('/v1/messages/{id}/flag', tool('flag_email', 'body')),

  read('/v1/threads/{id}', tool('get_thread', 'query')),

  read('/v1/events', tool('list_events', 'query')),
  write('/v1/events', NEW_EVENT, { body: 'required' }),
  write('/v1/events/{event_id}', tool('update_event', 'body'), { method: 'PATCH' }),
  write('/v1/events/{event_id}', tool('cancel_event', 'body'), { method: 'DELETE' }),
  write('/v1/events/{event_id}/confirm', tool('confirm_event', 'body')),

  read('/v1/trackers', tool('list_trackers', 'query')),
  read('/v1/trackers/{tracker_id}', tool('get_tracker', 'query')),
  write('/v1/trackers', tool('create_tracker', 'body'), {
    body: 'required',
    created: ({ tracker_id }) => (typeof tracker_id === 'number' ? `/v1/trackers/${tracker_id}` : undefined),
  }),
  write('/v1/trackers/{tracker_id}', TRACKER_STATUS, { method: 'PATCH', body: 'required' }),
  write('/v1/trackers/{tracker_id}/notes', tool('add_tracker_note', 'body'), { body: 'required' }),
  write('/v1/trackers/{tracker_id}/links', TRACKER_LINK, { body: 'required' }),
];

function read(path: string, call: Route['call'], form: AnswerForm = 'envelope'): Route {
  return { method: 'GET', path, call, body: 'optional', form };
}

function write(
  path: string,
  call: ToolChoice,
  rest: Partial<Pick<Route, 'method' | 'body' | 'form' | 'created'>> = {},
): Route {
  return { method: 'POST', path, call, body: 'optional', form: 'envelope', ...rest };
}

function tool(name: string, from: ToolChoice['from']): ToolChoice {
  return {
    name,
    tools: [name],
    from,
    call: (given, inputSchemaOf) => ({ tool: name, args: routeArguments(given, from, inputSchemaOf(name)) }),
  };
}

export type Found =
  | {
      readonly kind: 'route';
      readonly route: Route;
      readonly parameters: Readonly<Record<string, string>>;
      readonly form: AnswerForm;
    }
  /** The path is known, the method is not: `methods` are. */
  | { readonly kind: 'other_method'; readonly methods: readonly string[]; readonly form: AnswerForm }
  | { readonly kind: 'none' };

/** @param path as it came; segments are decoded here, so that an encoded slash stays inside its segment */
export function findRoute(method: string, path: string): Found {
  const segments = decodedSegments(path);
  if (segments === undefined) return { kind: 'none' };
  const matching: { route: Route; parameters: Readonly<Record<string, string>> }[] = [];
  for (const { route, pattern } of PATTERNS) {
    const parameters = parametersOf(pattern, segments);
    if (parameters !== undefined) matching.push({ route, parameters });
  }
  const match = matching.find(({ route }) => route.method === method);
  if (match !== undefined) return { kind: 'route', ...match, form: match.route.form };
  const [other] = matching;
  if (other === undefined) return { kind: 'none' };
  return { kind: 'other_method', methods: matching.map(({ route }) => route.method), form: other.route.form };
}

const PATTERNS = ROUTES.map((route) => ({ route, pattern: route.path.split('/') }));

function parametersOf(
  pattern: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: [string, string][] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const part = pattern[at] ?? '';
    const segment = segments[at] ?? '';
    if (part.startsWith('{') && segment !== '') parameters.push([part.slice(1, -1), segment]);
    else if (part !== segment) return undefined;
  }
  return Object.fromEntries(parameters);
}

function decodedSegments(path: string): string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined; // not percent-encoding of UTF-8: no route has such a path
  }
}
