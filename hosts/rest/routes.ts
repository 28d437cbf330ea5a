import type { Result } from '../../core/contract/result.ts';
import { type Given, namedToolArguments, routeArguments } from './call-arguments.ts';
import type { JsonObject } from './json-body.ts';

/**
 * A route names its tool, and maps path, query and body to its arguments. What the tool does, who may call it and which
 * arguments are valid follows from the tool's definition.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A segment in braces is a parameter. */
  readonly path: string;
  /** `describe`: the description of this API. It needs no key. */
  readonly call: 'list_tools' | 'describe' | ToolChoice;
  /** `required`: the body has required fields. */
  readonly body: 'required' | 'optional';
  readonly form: AnswerForm;
  /** The path of what the call created. The response is then a 201. */
  readonly created?: (result: Result) => string | undefined;
}

/**
 * `envelope`: the outcome. `coded`: the outcome, and failures also have their code as `error`. `bare`: like `coded`,
 * but a success is the result alone.
 */
type AnswerForm = 'envelope' | 'coded' | 'bare';

/** Maps a request to the call of a tool. */
export interface ToolChoice {
  /** The name of the operation in the description of this API. */
  readonly name: string;
  /** The tools that it chooses from. Empty: the path names the tool. */
  readonly tools: readonly string[];
  /** Where the route takes parameters, besides its path. */
  readonly from: 'query' | 'body' | 'path';
  /** JSON Schemas of the parameters that only choose the tool. No tool has them as arguments. */
  readonly choosers?: Readonly<Record<string, JsonObject>>;
  /** The required ones of `choosers`. */
  readonly required?: readonly string[];
  /** The body fits exactly one of the tools: their arguments cannot be mixed. */
  readonly apart?: true;
  /** @param inputSchemaOf  the input schema of a tool. Empty if the caller may not use the tool */
  call(given: Given, inputSchemaOf: (tool: string) => JsonObject): { tool: string; args: unknown };
}

const NAMED_TOOL: ToolChoice = {
  name: 'call_tool',
  tools: [],
  from: 'body',
  call: (given) => ({ tool: given.path.name ?? '', args: namedToolArguments(given) }),
};

/**
 * With `q`, `from` or `since` it is a search. Otherwise `unread` chooses the list, and neither list gets it as an
 * argument.
 */
const MESSAGE_LIST: ToolChoice = {
  name: 'list_messages',
  tools: ['summarize_inbox', 'list_unread', 'search_inbox'],
  from: 'query',
  call(given, inputSchemaOf) {
    const { query } = given;
    const searches = ['q', 'from', 'since'].some((name) => query.has(name));
    const unread = query.has('unread') ? query.getAll('unread').join() : 'false';
    // The search takes `unread`, so its validation says what is wrong with any other value, or several.
    const isStrange = unread !== 'true' && unread !== 'false';
    if (searches || isStrange) return tool('search_inbox', 'query').call(given, inputSchemaOf);
    const others = new URLSearchParams(query);
    others.delete('unread');
    const picked = tool(unread === 'true' ? 'list_unread' : 'summarize_inbox', 'query');
    return picked.call({ ...given, query: others }, inputSchemaOf);
  },
};

/**
 * `proposed` chooses the tool, which does not get it as an argument. If it is not a boolean, it stays for validation to
 * reject.
 */
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

/** Resolving is a tool of its own, without the argument `status`. */
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

/** The id that is given chooses the tool. Validation rejects both ids, or none. */
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
  /** The path has no route for this method. `methods`: those that it has. */
  | { readonly kind: 'other_method'; readonly methods: readonly string[]; readonly form: AnswerForm }
  | { readonly kind: 'none' };

/** @param path  as received. It is split before it is decoded, so an encoded slash stays inside its segment */
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
    return undefined; // not UTF-8, so no route has this path
  }
}
