import { describe, expect, it } from 'vitest';
import { fileOf } from './exported-functions.ts';
import { readingApart } from './import-rules.ts';
import { sourceFacts } from './source-facts.ts';

// What strangers wrote is parsed in a reading process. These functions of the main process take bytes: each has its reason.

const HEADER = 'Header fields, cut to their bounds before anything looks at them.';
const READER = 'Handed to the reader.';
const OWN = 'Keys, secrets and random bytes of this program.';
const WRITTEN = 'What this program wrote: it is sent, signed or shown, and not parsed.';
const JSON_BODY = 'A JSON body, which is bounded when it is received.';

const PLACES: Readonly<Record<string, string>> = {
  'adapters/discovery/autoconfig.ts readAutoconfig': READER,
  'adapters/imap/known-rows.ts ownBytes': 'Copied as they are.',
  'adapters/imap/large-message.ts fetchParts': READER,
  'adapters/mail-index/index-file.ts indexFile': OWN,
  'adapters/mail-index/open-file.ts openIndexFile': OWN,
  'adapters/mail-index/sealed-records.ts derivedKey': OWN,
  'adapters/mail-index/sealed-records.ts sealedRecords': OWN,
  'adapters/notices/push-message.ts encryptPush': WRITTEN,
  'core/accounts/sent-message.ts sentMessage': READER,
  'core/events/signature.ts signatureFault': WRITTEN,
  'core/events/signature.ts signatureHeader': WRITTEN,
  'core/mail-index/index-terms.ts indexTerms': OWN,
  'core/mail-index/limited-index.ts limitedIndex': OWN,
  'core/mail/bounded-fields.ts boundedFields': HEADER,
  'core/mail/charset.ts decodeText': HEADER,
  'core/mail/charset.ts htmlCharset': 'For the reader: the start of a part.',
  'core/mail/charset.ts switchesToJapanese': HEADER,
  'core/mail/compose.ts withAutoSubmitted': WRITTEN,
  'core/mail/compose.ts withDate': WRITTEN,
  'core/mail/header-fields.ts headerBlock': HEADER,
  'core/mail/header-fields.ts headersOf': HEADER,
  'core/mail/header-fields.ts readHeaders': HEADER,
  'core/mail/header-fields.ts splitHeader': HEADER,
  'core/mail/linked-ids.ts linkedIds': HEADER,
  'core/mail/linked-ids.ts messageIds': HEADER,
  'core/mail/message-headers.ts parseHeaders': HEADER,
  'core/mail/sent-copy.ts sentCopyOf': HEADER,
  'core/provenance/read-record.ts secretOf': OWN,
  'core/secrets/base32.ts base32': OWN,
  'core/secrets/keyring.ts createKeyring': OWN,
  'core/secrets/totp.ts totpCode': OWN,
  'core/secrets/totp.ts totpSteps': OWN,
  'core/owners/device-cookie.ts deviceHash': OWN,
  'core/owners/device-cookie.ts deviceValue': OWN,
  'core/keys/sign-in/client.ts documentedClient': JSON_BODY,
  'hosts/http/ignored-upgrade.ts ignoreUpgrade': 'Passed on to the application that embeds the dashboard.',
  'hosts/http/reply.ts commonHeaders': WRITTEN,
  'hosts/mcp/message.ts messageIn': JSON_BODY,
  'hosts/mcp/message.ts textOf': JSON_BODY,
  'hosts/rest/call-arguments.ts givenBy': JSON_BODY,
  'hosts/rest/json-body.ts parseBody': JSON_BODY,
  'hosts/webhooks/verify-webhook.ts verifyWebhook': WRITTEN,
};

describe('every exported function of the main process that takes bytes', () => {
  it('has its reason', async () => {
    const isApart = await readingApart();
    const { byteFunctions } = await sourceFacts();
    const inMain = byteFunctions.filter(
      (name) => !isApart(fileOf(name)) && !name.startsWith('adapters/sandbox/'),
    );
    expect(inMain).toEqual(Object.keys(PLACES).toSorted());
  });
});
