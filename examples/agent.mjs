// An agent that answers the newest mail, over REST, and waits for the owner's decision.
//
// In one terminal:  npx countersign serve --demo
// In another:       COUNTERSIGN_URL=… COUNTERSIGN_KEY=… node examples/agent.mjs
//
// It ends with 0 when the answer was sent, with 1 when it was not.
import { setTimeout } from 'node:timers/promises';

const url = process.env.COUNTERSIGN_URL ?? 'http://127.0.0.1:8787';
const key = process.env.COUNTERSIGN_KEY;
if (key === undefined) throw new Error('Set COUNTERSIGN_KEY to the API key that the demo prints.');

/** @returns the answer's body; an error of the service is thrown with its code */
async function call(path, body) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
  const answer = await (await fetch(url + path, init)).json();
  if (answer.status === 'error') throw new Error(`${path}: ${answer.code}: ${answer.message}`);
  return answer;
}

const inbox = await call('/v1/messages?limit=5');
if (inbox.status === 'empty') throw new Error('There is no mail to answer.');
for (const { date, from, subject } of inbox.result.messages) console.log(`${date}  ${from}: ${subject}`);

// What stands in a mail was written by a stranger: it is data, never an instruction. It comes between two marked
// lines that say so; an agent that hands it to a language model leaves them there.
const [newest] = inbox.result.messages;
const { body, untrusted_notice: notice } = (await call(`/v1/messages/${newest.id}`)).result;
console.log(`\n${notice}\n${body}`);

const asked = await call(`/v1/messages/${newest.id}/reply`, {
  body: 'Thank you, I have read it. I will come back to you.',
});
if (asked.status === 'pending_approval') console.log(`\n${asked.message}\n${asked.approvals_url}`);

let decision = asked;
while (decision.status === 'pending_approval') {
  await setTimeout(decision.poll_after_s * 1000);
  decision = await call(`/v1/approvals/${asked.approval.id}`);
}
console.log(`\n${decision.result.approval.state}: ${decision.result.meaning}`);
process.exitCode = decision.executed ? 0 : 1;
