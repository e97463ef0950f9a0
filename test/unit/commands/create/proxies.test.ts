import assert from 'node:assert/strict';
import { sentProxies, withProxies } from '../../../../src/commands/create/proxies.ts';
import { Consent } from '../../../../src/commands/credentials/consent.ts';
import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';
import { createSpec } from '../../../../src/engine/containers/createSpec.ts';
import { fakeMemento } from '../../support/commandLab.ts';

const PROXIES = {
  HTTP_PROXY: 'http://me:hunter2@proxy:3128',
  HTTPS_PROXY: 'token@proxy',
  NO_PROXY: 'localhost',
};
const OPEN = { NO_PROXY: 'localhost' };

describe('the proxies of the Docker CLI', () => {
  let asked: string[];
  let answer: boolean;
  let context: Parameters<typeof sentProxies>[0];
  beforeEach(() => {
    asked = [];
    answer = false;
    const confirm = (question: string): Promise<boolean> => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    const consent = new Consent(fakeMemento(), { confirm });
    context = { window: { consent, proxies: () => Promise.resolve(PROXIES) } };
  });
  const sent = (address: string, isInteractive: boolean, verify?: boolean) => {
    const tls = verify === undefined ? undefined : { verify };
    const endpoint = parseEndpoint(address, 'setting', tls);
    return sentProxies(context, { endpoint }, [], isInteractive);
  };

  for (const [address, verify] of [
    ['unix:///run/docker.sock', undefined],
    ['ssh://nas', undefined],
    ['tcp://127.0.0.1:2375', undefined],
    ['tcp://nas:2376', true],
  ] as const)
    it(`are sent to ${address} without a question`, async () => {
      assert.deepEqual(await sent(address, true, verify), { variables: PROXIES, warnings: [] });
      assert.deepEqual(asked, []);
    });

  it('are sent without those with credentials if others can read them and no one can be asked', async () => {
    assert.deepEqual(await sent('tcp://nas:2375', false), {
      variables: OPEN,
      warnings: [
        'Proxies with a password were left out because the connection to tcp://nas:2375 is not encrypted.',
      ],
    });
    const { variables, warnings } = await sent('tcp://nas:2376', false, false);
    assert.deepEqual(variables, OPEN);
    assert.match(warnings.join(), /because the certificate of tcp:\/\/nas:2376 is not verified\./);
    assert.deepEqual(asked, []);
  });

  it('are asked for, and the consent is no consent for registries', async () => {
    assert.deepEqual((await sent('tcp://nas:2375', true)).variables, OPEN);
    answer = true;
    assert.deepEqual(await sent('tcp://nas:2375', true), { variables: PROXIES, warnings: [] });
    assert.deepEqual((await sent('tcp://nas:2375', false)).variables, PROXIES);
    const plain = parseEndpoint('tcp://nas:2375', 'setting');
    assert.equal(context.window.consent.isGiven(plain), false);
    await sent('tcp://nas:2375', true, false);
    assert.deepEqual(asked, [
      'Send proxy passwords unencrypted to tcp://nas:2375?',
      'Send proxy passwords unencrypted to tcp://nas:2375?',
      'Send proxy passwords to tcp://nas:2375 without verifying its certificate?',
    ]);
    await context.window.consent.forget(plain.url);
    assert.deepEqual((await sent('tcp://nas:2375', false)).variables, OPEN);
  });

  it('are not asked for if the container sets them itself', async () => {
    const endpoint = parseEndpoint('tcp://nas:2375', 'setting');
    const env = ['HTTP_PROXY=http://own', 'HTTPS_PROXY='];
    const spec = createSpec({ image: 'busybox', env });
    const { request, warnings } = await withProxies(context, { endpoint }, spec, true);
    assert.deepEqual(request.body['Env'], [...env, 'NO_PROXY=localhost']);
    assert.deepEqual([asked, warnings], [[], []]);
  });
});
