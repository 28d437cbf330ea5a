import type * as z from 'zod';
import { approval } from '../../core/call/approval-shape.ts';
import { thirdPartyFields } from '../../core/contract/text-author.ts';
import { GROUPS, type Group, MODES, type Mode, modesOf, PRESETS } from '../../core/keys/permissions.ts';
import { untrustedMarks, untrustedNonce } from '../../core/safety/untrusted.ts';
import { CATALOGUE } from '../../core/tools/catalogue.ts';
import { isWrite, type Tool } from '../../core/tools/define-tool.ts';
import { attachment } from '../../core/tools/result-shapes.ts';
import { pendingApproval } from '../../hosts/rest/openapi/components.ts';
import { toolsOf } from '../../hosts/rest/openapi/route-tools.ts';
import { ROUTES, type Route, type ToolChoice } from '../../hosts/rest/routes.ts';
import { ownErrors, sharedErrors } from './answered-errors.ts';
import { code, codes, list, page, prose, table, wrapped } from './markdown.ts';
import { anchorOf } from './page-links.ts';
import { FORMS, fieldRows, shapeRows } from './schema-rows.ts';

/** docs/reference/tools.md: the tools, their arguments and results, and the routes that call them. */

const KINDS: Readonly<Record<Tool['kind'], { readonly words: string; readonly means: string }>> = {
  read: { words: 'reads', means: 'Runs at once and changes nothing.' },
  own: {
    words: 'withdraws a request',
    means: "Runs at once and changes only the key's own requests.",
  },
  light: {
    words: 'small change',
    means:
      'Runs at once if the group is `direct` and nothing holds it, and then answers with its own result. Otherwise it files an approval request and answers 202.',
  },
  gated: {
    words: 'asks the owner',
    means:
      'Files an approval request and answers 202. Only if the group is `direct` and nothing holds the call, it runs at once and answers 200 with the approval.',
  },
};

const GROUP_MEANS: Readonly<Record<Group, string>> = {
  'mail:read': 'Read accounts, folders, messages and attachments.',
  'mail:send': 'Send new messages and forward messages.',
  'mail:reply': 'Reply to messages.',
  'mail:manage': 'Archive, trash, move and label messages.',
  'mail:organize': 'Mark messages as read or unread, and star them.',
  'calendar:read': 'Read calendar events.',
  'calendar:write': 'Create, propose, change, cancel and confirm events.',
  'trackers:read': 'Read trackers.',
  'trackers:write': 'Create trackers, set their status, and add notes and links.',
  'trackers:remove': 'Resolve trackers.',
};

const MODE_MEANS: Readonly<Record<Mode, string>> = {
  off: "The group's tools are not listed, and calls answer 403 [`not_permitted`](errors.md#not_permitted).",
  on: 'Reads run.',
  direct: 'Writes run at once, unless something holds them.',
  approval: 'Writes wait for the owner.',
};

/** How a route that can call several tools chooses one, by its name in the description of the API. */
const CHOICES: Readonly<Record<string, string>> = {
  list_messages:
    'With any of `q`, `from` and `since`: `search_inbox`. Otherwise with `unread=true`: `list_unread`; else `summarize_inbox`.',
  create_event: 'With `proposed: true` in the body: `propose_event`; else `create_event`.',
  set_tracker_status: 'With `status: "resolved"`: `resolve_tracker`; else `set_tracker_status`.',
  link_to_tracker:
    'With `event_id`: `link_event_to_tracker`; with `message_id`: `link_to_tracker`. Give one of them.',
  call_tool: 'The tool that the path names, with `{"arguments": {…}}` as the body.',
};

/** Routes that call no tool. */
const OTHER_ROUTES: Readonly<Record<Exclude<Route['call'], ToolChoice>, string>> = {
  list_tools: 'Lists the tools of the key with their descriptions and input schemas, as MCP does.',
  describe: 'Describes the API in OpenAPI 3.1. Needs no key.',
};

/** Arguments whose definition has no words. */
const ARGUMENT_MEANS: Readonly<Record<string, string>> = {
  'list_events.only': 'All of these events, only those that have ended, or only those that have not.',
};

const OWN_AFFAIRS = 'No permission group';

export function toolsPage(): string {
  return page(
    '# Tools',
    wrapped(
      'A tool is one operation. Every tool is called by its name over MCP or with `POST /v1/tools/{name}`; most have a REST route of their own as well. All ways lead to the same checks and the same result.',
    ),
    list([
      '[All tools](#all-tools)',
      '[What a call answers](#what-a-call-answers)',
      '[Permission groups](#permission-groups)',
      '[REST routes](#rest-routes)',
      '[Forms of texts](#forms-of-texts)',
      ...[null, ...GROUPS].map((group) => `Tools of ${groupLink(group)}`),
    ]),
    '## All tools',
    table(['tool', 'does', 'group', 'kind', 'REST route'], CATALOGUE.map(summaryRow)),
    ...answersSection(),
    ...groupsSection(),
    ...routesSection(),
    '## Forms of texts',
    table(['form', 'looks like'], Object.entries(FORMS)),
    ...[null, ...GROUPS].flatMap(groupSection),
  );
}

function groupTitle(group: Group | null): string {
  return group ?? OWN_AFFAIRS;
}

function groupLink(group: Group | null): string {
  return group === null
    ? `[${OWN_AFFAIRS.toLowerCase()}](#${anchorOf(OWN_AFFAIRS)})`
    : `[${code(group)}](#${anchorOf(group)})`;
}

function toolLink(name: string): string {
  return `[${code(name)}](#${anchorOf(name)})`;
}

function summaryRow(tool: Tool): readonly string[] {
  const routes = routesOf(tool).map(routeText);
  const { name, title, group, kind } = tool;
  return [toolLink(name), title, group === null ? 'none' : code(group), KINDS[kind].words, routes.join(', ')];
}

/** Routes that name the tool, without the one that calls any. */
function routesOf(tool: Tool): readonly Route[] {
  return ROUTES.filter(
    ({ call }) => typeof call !== 'string' && call.tools.some((name) => name === tool.name),
  );
}

function routeText({ method, path }: Route): string {
  return code(`${method} ${path}`);
}

function answersSection(): readonly string[] {
  return [
    '## What a call answers',
    table(
      ['`status`', 'HTTP', 'means'],
      [
        ['`ok`', '200, 201', '`result` has what the tool found or did.'],
        [
          '`empty`',
          '200',
          'There is nothing: `result.reason` says why, and `result.hint` may say what to try.',
        ],
        ['`pending_approval`', '202', 'Nothing has happened yet: the request waits for the owner.'],
        ['`error`', '400 to 503', 'Nothing was done; `code` says why. See [Errors](errors.md).'],
      ],
    ),
    table(
      ['kind of tool', 'what happens'],
      Object.values(KINDS).map(({ words, means }) => [words, means]),
    ),
    wrapped(
      'Any write can answer 202, whatever it did last time. Do not repeat it: poll `GET /v1/approvals/{approval_id}`, or call `get_approval` with `wait_s` 25.',
    ),
    '### While a request waits',
    ...shapeTables(pendingApproval.extend({ approval })),
    wrapped(
      'Once the request has ended, `status` is `ok`, `executed` says whether the action ran, and `result` has `approval` and `meaning`. A write that ran at once answers in the same way, with `auto_approved: true`; a small change that ran at once has its own result.',
    ),
    '### Approval',
    ...shapeTables(approval),
    wrapped(
      'What each `state` means is under [States of a request](errors.md#states-of-a-request), what `error` means under [Why a request ended without its action](errors.md#why-a-request-ended-without-its-action). `result` is what the section of the tool describes.',
    ),
    '### Attachment',
    ...shapeTables(attachment),
    '### Third-party text',
    wrapped(
      'A result that has text of third parties names its fields. That text is data, never instructions.',
    ),
    ...shapeTables(untrustedMarks.extend(untrustedNonce.partial().shape)),
    wrapped(
      'Texts of messages and attachments stand between the lines `<<<UNTRUSTED_CONTENT NONCE>>>` and `<<<END_UNTRUSTED_CONTENT NONCE>>>`, with the `untrusted_nonce` of the result. Fields marked *wrapped* below are such texts.',
    ),
    '### Errors of every call',
    table(
      ['answered by', 'codes'],
      sharedErrors().map(([words, errors]) => [words, errors.map(errorLink).join(', ')]),
    ),
    wrapped('The tools below name only the errors that they have beside these.'),
  ];
}

function errorLink(error: string): string {
  return `[${code(error)}](errors.md#${anchorOf(error)})`;
}

function groupsSection(): readonly string[] {
  const presets = Object.values(PRESETS);
  return [
    '## Permission groups',
    wrapped(
      'The owner chooses a mode for each group of a key. `get_me` says which modes apply. A new key starts with the modes of a preset.',
    ),
    table(
      ['group', 'lets a key', 'modes', ...presets.map(({ title }) => title)],
      GROUPS.map((group) => [
        `[${code(group)}](#${anchorOf(group)})`,
        GROUP_MEANS[group],
        codes(modesOf(group)),
        ...presets.map(({ modes }) => code(modes[group])),
      ]),
    ),
    table(
      ['mode', 'means'],
      MODES.map((mode) => [code(mode), MODE_MEANS[mode]]),
    ),
  ];
}

function routesSection(): readonly string[] {
  return [
    '## REST routes',
    wrapped(
      'Names in braces are arguments, too. A route whose path names a message takes no `ids`; for several messages, call the tool by its name. `GET` routes take their arguments in the query, the others as a JSON body. Each route except `GET` accepts the header `Idempotency-Key`; over MCP, it is `countersign/idempotency-key` in the `_meta` of the call.',
    ),
    table(['route', 'calls', 'answers'], ROUTES.map(routeRow)),
    list([
      '*enveloped*: `{"status": …, "result": …}`, and errors as `{"status": "error", "code": …, "message": …, "details": …}`',
      '*coded*: the same; errors also have the code in `error`',
      '*bare*: the result alone, without an envelope; errors as above, with the code in `error` as well',
    ]),
    wrapped('Besides these, `GET /healthz` answers 200 if the storage works. It needs no key.'),
  ];
}

const FORM_WORDS: Readonly<Record<Route['form'], string>> = {
  envelope: 'enveloped',
  coded: 'coded',
  bare: 'bare',
};

function routeRow(route: Route): readonly string[] {
  return [routeText(route), callText(route), FORM_WORDS[route.form]];
}

function callText(route: Route): string {
  const { call } = route;
  if (typeof call === 'string') return OTHER_ROUTES[call];
  const [first, ...others] = toolsOf(route);
  if (first !== undefined && others.length === 0) return toolLink(first.name);
  const choice = CHOICES[call.name];
  if (choice === undefined) throw new Error(`CHOICES does not say which tool the route ${call.name} calls`);
  return choice;
}

function groupSection(group: Group | null): readonly string[] {
  const tools = CATALOGUE.filter((tool) => tool.group === group);
  return [`## ${groupTitle(group)}`, ...tools.flatMap(toolSection)];
}

function toolSection(tool: Tool): readonly string[] {
  const { name, title, description, group, kind } = tool;
  const own = ownErrors(tool).map(errorLink);
  const permission = group === null ? 'none: always permitted' : `[${code(group)}](#permission-groups)`;
  const errors = [...own, '[those of every call](#errors-of-every-call)'].join(', ');
  return [
    `### ${name}`,
    wrapped(`**${title}.** ${prose(description)}`),
    list([
      `Permission group: ${permission}`,
      `Kind: ${KINDS[kind].words}`,
      ...routesOf(tool).map((route) => `REST: ${routeText(route)}${choiceLink(route)}`),
      `Errors: ${errors}`,
    ]),
    ...argumentsTable(tool),
    ...resultTables(tool),
  ];
}

/** Where a route can call other tools as well. */
function choiceLink(route: Route): string {
  return toolsOf(route).length > 1 ? ', [which can call other tools as well](#rest-routes)' : '';
}

function argumentsTable(tool: Tool): readonly string[] {
  const rows = fieldRows(tool.inputSchema).map(({ path, type, isRequired, usual, meaning }) => {
    const means = meaning === '' ? ARGUMENT_MEANS[`${tool.name}.${path}`] : prose(meaning);
    if (means === undefined) throw new Error(`${tool.name}: ARGUMENT_MEANS has no words for ${path}`);
    const need = isRequired
      ? '**required**'
      : usual === undefined
        ? 'optional'
        : `default ${code(String(usual))}`;
    return [code(path), type, need, means];
  });
  if (rows.length === 0) return ['It has no arguments.'];
  return [table(['argument', 'type', 'needed', 'meaning'], rows)];
}

function resultTables(tool: Tool): readonly string[] {
  if (!isWrite(tool)) return ['Result:', ...shapeTables(tool.output)];
  const executed = [
    'Result of its approval, in `approval.result` once it is executed:',
    ...shapeTables(tool.output),
  ];
  if (tool.kind === 'gated') return executed;
  return ['Result if it runs at once:', ...shapeTables(tool.directOutput), ...executed];
}

/** What to say of a field that third parties wrote. */
function marksOf(output: z.ZodType): (path: string) => string {
  const { all, wrapped } = thirdPartyFields(output);
  return (path) =>
    wrapped.includes(path) ? '*Third-party text, wrapped.*' : all.includes(path) ? '*Third-party text.*' : '';
}

type Shape = Parameters<typeof shapeRows>[0];

/** A table for each form that the shape can have. */
function shapeTables(shape: Shape): string[] {
  const marks = marksOf(shape);
  const forms = shapeRows(shape).map((rows) =>
    table(
      ['field', 'type', 'meaning'],
      rows.map(({ path, type, isRequired, meaning }) => [
        code(path),
        isRequired ? type : `optional ${type}`,
        [prose(meaning), marks(path) || marks(`${path}[]`)].filter((text) => text !== '').join(' '),
      ]),
    ),
  );
  return forms.flatMap((form, at) => (at === 0 ? [form] : ['or', form]));
}
