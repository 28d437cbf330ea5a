import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import * as z from 'zod';
import { openApiDocument } from '../hosts/rest/openapi/document.ts';

const jsonSchema = z.record(z.string(), z.unknown());

/** The part of the description that says what is posted for one type of event. */
const described = z.object({
  post: z.object({
    parameters: z.array(z.object({ name: z.string(), in: z.literal('header'), schema: jsonSchema })),
  }),
});

const description = openApiDocument('https://api.example.org');
const document = z.object({ webhooks: z.record(z.string(), described) }).parse(description);

// Headers are text: integers among them are read as such.
const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
const headerAjv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true, coerceTypes: true });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
ajv.addSchema(description, 'api');

const events = new Map(
  Object.entries(document.webhooks).map(([type, { post }]) => [
    type,
    {
      headers: headerAjv.compile({
        type: 'object',
        properties: Object.fromEntries(
          post.parameters.map(({ name, schema }) => [name.toLowerCase(), schema]),
        ),
        required: post.parameters.map(({ name }) => name.toLowerCase()),
      }),
      body: ajv.compile({
        $ref: `api#/webhooks/${type}/post/requestBody/content/application~1json/schema`,
      }),
    },
  ]),
);

/**
 * Checks a webhook request against the `webhooks` section of the published description.
 * @throws Error if it is not as described
 */
export function expectDescribedWebhook(request: {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}): void {
  const type = String(request.headers['service-event-type']);
  const event = events.get(type);
  if (event === undefined) throw new Error(`the description has no webhook ${type}`);
  check(`the headers of ${type}`, event.headers, { ...request.headers });
  const body: unknown = JSON.parse(Buffer.from(request.body).toString('utf8'));
  check(`the body of ${type}`, event.body, body);
  const { id } = z.object({ id: z.string(), type: z.literal(type) }).parse(body);
  if (id !== request.headers['service-event-id'])
    throw new Error('Service-Event-Id is not the id of the body');
}

function check(what: string, validate: ValidateFunction, value: unknown): void {
  if (!validate(value)) throw new Error(`${what} is not as described: ${ajv.errorsText(validate.errors)}`);
}
