// A model of LangChain works in the owner's mailbox. What it sends waits for the owner.
// Run it: npm install @langchain/core && node examples/langchain.mjs
import assert from 'node:assert/strict';
import { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { DynamicStructuredTool } from '@langchain/core/tools';
import { INSTRUCTIONS, langChainTools } from 'countersign/ai';
import { openSandbox } from './app/sandbox.mjs';

const { approve, keyId, mail, ownerId, service } = await openSandbox();

// It stands in for a real model, such as ChatAnthropic: it sends a message, then it reports.
const email = { to: ['grace@example.org'], subject: 'Lunch', body: 'Lunch at noon?' };
const model = fakeModel()
  .respondWithTools([{ name: 'send_email', args: email, id: '1' }])
  .respond(new AIMessage('Your message waits for your approval.'));

const tools = langChainTools(await service.as({ ownerId, keyId }).tools(), DynamicStructuredTool);
const messages = [new SystemMessage(INSTRUCTIONS), new HumanMessage('Ask Grace to lunch.')];
const assistant = model.bindTools(tools);

// The loop that createAgent of the package langchain runs.
let answer = await assistant.invoke(messages);
while (answer.tool_calls.length > 0) {
  messages.push(answer);
  for (const call of answer.tool_calls) {
    const tool = tools.find(({ name }) => name === call.name);
    messages.push(await tool.invoke({ ...call, type: 'tool_call' }));
  }
  answer = await assistant.invoke(messages);
}
const { status, approval } = JSON.parse(messages.at(-1).content);
assert.equal(status, 'pending_approval');
assert.equal(mail.transmitted().length, 0); // Nothing has happened yet.

await approve(approval.id);
assert.equal(mail.transmitted().length, 1);
console.log(answer.content);
await service.stop();
