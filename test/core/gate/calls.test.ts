import { expect, it, onTestFinished } from 'vitest';
import { openTestService } from '../../open-service.ts';

it('the list of tools is built once for each set of permissions', async () => {
  const { service, addKey } = await openTestService();
  onTestFinished(() => service.stop());
  const listed = async (modes: Parameters<typeof addKey>[1]) => {
    const { apiKey } = await addKey('full', modes);
    const admission = await service.calls.admitCaller({ token: apiKey, address: '192.0.2.1' });
    if (admission.kind !== 'admitted') throw new Error('the key is refused');
    return service.calls.tools(admission.caller);
  };
  const list = await listed({});
  expect(list).toHaveLength(37);
  // Approval and direct list the same tools.
  expect(await listed({ 'mail:send': 'direct' })).toBe(list);
  const fewer = await listed({ 'mail:send': 'off' });
  expect(fewer).toHaveLength(35);
  expect(await listed({ 'mail:send': 'off' })).toBe(fewer);
});
