import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure, type Outcome } from '../../../core/call/outcome.ts';
import type { ToolCall } from '../../../core/gate/tool-call.ts';
import { nodeHandler } from '../../../hosts/node/node-handler.ts';
import { NO_LIMITS } from '../../lab/bench/no-limits.ts';
import { openTestService, type TestService } from '../../open-service.ts';
import { runConformance } from './conformance-tool.ts';

// The server scenarios of the official conformance tool, against the tool door in front of the real service. The tool
// calls tools of its own choice: the door serves them beside the catalogue.

const NO_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: false };

/** What the tools of the conformance tool answer. */
const FIXTURES: Readonly<Record<string, (call: ToolCall) => Outcome>> = {
  test_simple_text: done,
  test_logging_tool: done,
  test_streaming_elicitation: done,
  test_error_handling: () => failure('upstream_mail_error'),
  test_tool_with_progress({ onWaiting }) {
    for (const waitedS of [0, 12, 25]) onWaiting?.(waitedS, 25);
    return done();
  },
  json_schema_2020_12_tool: done,
};

function done(): Outcome {
  return { status: 'ok', result: { text: 'Done.' } };
}

/** The schema that its scenario expects to find unchanged. Source: scenario json-schema-2020-12. */
const SCHEMAS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

/** The checks that cannot apply to Countersign, by reason: all of a scenario, or `scenario:check`. */
const NOT_APPLICABLE: readonly (readonly [reason: string, ...names: string[]])[] = [
  [
    'Countersign serves tools only, and declares no other capability.',
    'logging-set-level',
    'tools-call-with-logging',
    'completion-complete',
    'resources-list',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'resources-subscribe',
    'resources-unsubscribe',
    'sep-2164-resource-not-found',
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
    'caching:sep-2549-prompts-list-caching-hints',
    'caching:sep-2549-resources-list-caching-hints',
    'caching:sep-2549-resources-templates-list-caching-hints',
    'input-required-result-non-tool-request',
  ],
  [
    'Every result is structured content, repeated as text.',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
  ],
  [
    'Countersign never asks the client: the answer would come through the program that waits for the owner.',
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'server-stateless:sep-2575-server-rejects-undeclared-capability',
    'server-stateless:sep-2575-missing-capability-http-400',
    'input-required-result-basic-elicitation',
    'input-required-result-basic-sampling',
    'input-required-result-basic-list-roots',
    'input-required-result-request-state',
    'input-required-result-multiple-input-requests',
    'input-required-result-multi-round',
    'input-required-result-missing-input-response',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'input-required-result-capability-check',
    'input-required-result-ignore-extra-params',
  ],
  [
    'Requests stand alone: there is no session, and no stream that a client resumes.',
    'server-sse-multiple-streams:server-sse-multiple-streams-session',
    'server-sse-polling',
  ],
  [
    'The API refuses every request with an Origin header, so no Origin is valid.',
    'dns-rebinding-protection:localhost-host-valid-accepted',
  ],
  ['No argument of a tool is repeated in a header.', 'http-custom-header-server-validation'],
  [
    'Tasks are an extension. Countersign has approvals instead, with get_approval to wait for them.',
    'tasks-lifecycle',
    'tasks-capability-negotiation',
    'tasks-wire-fields',
    'tasks-request-state-removal',
    'tasks-mrtr-input',
    'tasks-mrtr-composition',
    'tasks-request-headers',
    'tasks-dispatch-and-envelope',
    'tasks-required-task-error',
  ],
];
const EXCUSED = NOT_APPLICABLE.flatMap(([_reason, ...names]) => names);

let opened: TestService;
let server: Server;
beforeAll(async () => {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened = await openTestService({ baseUrl: url(), limits: NO_LIMITS });
  const { calls } = opened.service;
  const handler = nodeHandler(
    {
      ...opened.service,
      calls: {
        ...calls,
        tools: (caller) => [
          ...calls.tools(caller),
          ...Object.keys(FIXTURES).map((name) => ({
            ...{ name, title: name, description: name, inputSchema: SCHEMAS[name] ?? NO_ARGUMENTS },
            annotations: {
              readOnlyHint: true,
              destructiveHint: false,
              idempotentHint: true,
              openWorldHint: false,
            },
          })),
        ],
        async runTool(caller, call) {
          const fixture = FIXTURES[call.tool];
          if (fixture === undefined) return calls.runTool(caller, call);
          await calls.endCall(caller, 'ok');
          return { outcome: fixture(call), replayed: false };
        },
      },
    },
    { doors: ['mcp'] },
  );
  const { apiKey } = await opened.addKey('full');
  server.on('request', (req, res) => {
    // The tool sends no key.
    req.headers.authorization = `Bearer ${apiKey}`;
    handler(req, res);
  });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await opened.service.stop();
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const seen: string[] = [];

it.each(['2025-11-25', '2026-07-28'])(
  'every check of revision %s passes, except those that cannot apply',
  async (revision) => {
    const args = ['server', '--url', `${url()}/mcp`, '--requirements', revision];
    const checks = await runConformance(args);
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(30);
    const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    const names = failed.map(({ scenario, id }) => [scenario, `${scenario}:${id}`]);
    seen.push(...names.flat());
    expect(failed.filter((_check, n) => !names[n]?.some((name) => EXCUSED.includes(name)))).toEqual([]);
  },
);

it('no check that passes is listed as one that cannot apply', () => {
  expect(EXCUSED.filter((name) => !seen.includes(name))).toEqual([]);
});
