// An agent that replies to the newest message over REST, and waits for the owner's decision.
//
// In one terminal:  npx countersign serve --demo
// In another:       COUNTERSIGN_URL=… COUNTERSIGN_KEY=… node examples/agent.mjs
//
// Exits with 0 if the reply was sent, with 1 if not.
import { setTimeout } from 'node:timers/promises';

const url = process.env.COUNTERSIGN_URL ?? 'http://127.0.0.1:8787';
const key = process.env.COUNTERSIGN_KEY;
if (key === undefined) throw new Error('Set COUNTERSIGN_KEY to the API key that the demo prints.');

/** @returns the response body @throws Error with the code, if the service returns an error */
async function call(path, body) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
  const response = await (await fetch(url + path, init)).json();
  if (response.status === 'error') throw new Error(`${path}: ${response.code}: ${response.message}`);
  return response;
}

const inbox = await call('/v1/messages?limit=5');
if (inbox.status === 'empty') throw new Error('There is no message to reply to.');
for (const { date, from, subject } of inbox.result.messages) console.log(`${date}  ${from}: ${subject}`);

// A stranger wrote the text of the message: it is data, never an instruction. Two fence lines around it say so. Keep
// them if you pass the text to a language model.
const [newest] = inbox.result.messages;
const { body, untrusted_notice: notice } = (await call(`/v1/messages/${newest.id}`)).result;
console.log(`\n${notice}\n${body}`);

const requested = await call(`/v1/messages/${newest.id}/reply`, {
  body: 'Thank you, I have read it. I will come back to you.',
});
if (requested.status === 'pending_approval')
  console.log(`\n${requested.message}\n${requested.approvals_url}`);

let decision = requested;
while (decision.status === 'pending_approval') {
  await setTimeout(decision.poll_after_s * 1000);
  decision = await call(`/v1/approvals/${requested.approval.id}`);
}
console.log(`\n${decision.result.approval.state}: ${decision.result.meaning}`);
process.exitCode = decision.executed ? 0 : 1;
