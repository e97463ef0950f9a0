import assert from 'node:assert/strict';
import type { Memento } from '../../../../src/base/lifetime.ts';
import { Consent } from '../../../../src/commands/credentials/consent.ts';
import { MessageError } from '../../../../src/commands/ui/errorMessage.ts';
import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';

const PLAIN = parseEndpoint('tcp://nas:2375', 'setting');
const UNCHECKED = parseEndpoint('tcp://nas:2375', 'setting', { verify: false });
const CHECKED = parseEndpoint('tcp://nas:2375', 'setting', { verify: true });

describe('commands/consent', () => {
  let asked: string[];
  let consent: Consent;

  beforeEach(() => {
    asked = [];
    const values = new Map<string, unknown>();
    const memory = {
      get: (key: string, otherwise: unknown) => values.get(key) ?? otherwise,
      update: (key: string, value: unknown) => Promise.resolve(void values.set(key, value)),
    } as unknown as Memento;
    const confirm = (question: string): Promise<boolean> => {
      asked.push(question);
      return Promise.resolve(true);
    };
    consent = new Consent(memory, { confirm });
  });

  it("is not needed if the engine's certificate is verified", async () => {
    assert(await consent.ask(CHECKED));
    assert.deepEqual(asked, []);
  });

  it('is asked for once, and separately if the certificate is not verified', async () => {
    await consent.ask(PLAIN);
    await consent.ask(PLAIN);
    assert.deepEqual([consent.isGiven(PLAIN), consent.isGiven(UNCHECKED)], [true, false]);
    assert.match(consent.refusal(UNCHECKED), /the certificate of tcp:\/\/nas:2375 is not verified/);
    await consent.ask(UNCHECKED);
    assert.deepEqual(asked, [
      'Send registry credentials unencrypted to tcp://nas:2375?',
      'Send registry credentials to tcp://nas:2375 without verifying its certificate?',
    ]);
  });

  it('is revoked when the engine is removed', async () => {
    await consent.ask(PLAIN);
    await consent.ask(UNCHECKED);
    await consent.forget('tcp://other:2375');
    assert(consent.isGiven(PLAIN));
    await consent.forget(PLAIN.url);
    assert.deepEqual([consent.isGiven(PLAIN), consent.isGiven(UNCHECKED)], [false, false]);
  });

  it('is not asked for if the address cannot be shown completely', async () => {
    const long = parseEndpoint(
      `tcp://nas.example.${'org.'.repeat(100)}evil.example:2375`,
      'setting',
    );
    await assert.rejects(
      consent.ask(long),
      new MessageError('The engine address is too long to show. No credentials were sent.'),
    );
    assert.deepEqual([asked, consent.isGiven(long)], [[], false]);
  });
});
