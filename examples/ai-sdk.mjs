// An assistant built with the AI SDK works in the owner's mailbox. What it sends waits for the owner.
// Run it: npm install ai && node examples/ai-sdk.mjs
import assert from 'node:assert/strict';
import { generateText, isStepCount } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { aiSdkTools, INSTRUCTIONS } from 'countersign/ai';
import { openSandbox } from './app/sandbox.mjs';

const { approve, keyId, mail, ownerId, service } = await openSandbox();

// It stands in for a real model, such as 'anthropic/claude-sonnet-4.5': it sends a message, then it reports.
const email = { to: ['grace@example.org'], subject: 'Lunch', body: 'Lunch at noon?' };
const usage = { inputTokens: {}, outputTokens: {} };
const model = new MockLanguageModelV4({
  doGenerate: [
    {
      content: [{ type: 'tool-call', toolCallId: '1', toolName: 'send_email', input: JSON.stringify(email) }],
      finishReason: { unified: 'tool-calls' },
      usage,
      warnings: [],
    },
    {
      content: [{ type: 'text', text: 'Your message waits for your approval.' }],
      finishReason: { unified: 'stop' },
      usage,
      warnings: [],
    },
  ],
});

const { text, steps } = await generateText({
  model,
  instructions: INSTRUCTIONS,
  prompt: 'Ask Grace to lunch.',
  tools: aiSdkTools(await service.as({ ownerId, keyId }).tools()),
  stopWhen: isStepCount(10),
});
const [{ output }] = steps[0].toolResults;
assert.equal(output.status, 'pending_approval');
assert.equal(mail.transmitted().length, 0); // Nothing has happened yet.

await approve(output.approval.id);
assert.equal(mail.transmitted().length, 1);
console.log(text);
await service.stop();
