import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FormIndex } from '../../../../src/engine/builds/dockerfile/formIndex.ts';
import { GivenSecrets } from '../../../../src/engine/builds/givenSecrets.ts';
import type { BuildEvent, BuildStepOutput } from '../../../../src/engine/builds/model.ts';
import { holds } from '../../properties/holds.ts';

const STEP = { id: 's', name: 'RUN x', inputs: [] } as const;
const RUNNING: BuildEvent = { kind: 'step', step: { ...STEP, state: 'running' } };
const DONE: BuildEvent = { kind: 'step', step: { ...STEP, state: 'done' } };

function output(data: Uint8Array, stream: BuildStepOutput['stream'] = 'stdout'): BuildEvent {
  return { kind: 'output', output: { step: 's', time: 1, stream, data } };
}

/** Returns what remembers a secret with this value, which the engine has asked for. */
async function givenOf(value: string): Promise<GivenSecrets> {
  const given = new GivenSecrets({
    credentials: () => Promise.resolve({ username: 'alice', password: 'open sesame' }),
    secret: () => Promise.resolve(Buffer.from(value)),
  });
  const { signal } = new AbortController();
  await given.providers.secret('token', signal);
  await given.providers.credentials('registry.test', signal);
  return given;
}

/** Returns all output of the events as text. */
function textOf(given: GivenSecrets, events: readonly BuildEvent[]): string {
  const shown = events.flatMap((event) => given.hideIn(event));
  const pieces = shown.flatMap((event) => (event.kind === 'output' ? [event.output.data] : []));
  return Buffer.concat(pieces).toString();
}

describe('what was given to a build', () => {
  it('is hidden in the output of a step, wherever a piece ends', async () => {
    const secret = 'pässwörd-1';
    const bytes = Buffer.from(`a ${secret} b pässwörd ${secret}`);
    for (let at = 0; at <= bytes.length; at += 1) {
      const given = await givenOf(`${secret}\n`);
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)].map((data) => output(data));
      assert.equal(textOf(given, [RUNNING, ...pieces, DONE]), 'a … b pässwörd …', String(at));
    }
  });

  it('is hidden if it is the password of a proxy, also in the name of a step', () => {
    const none = {
      credentials: () => Promise.resolve(undefined),
      secret: () => Promise.resolve(Buffer.alloc(0)),
    };
    const given = new GivenSecrets(none, {
      HTTP_PROXY: 'http://me:p%40ssword@proxy:3128',
      all_proxy: 'socks5://me:second@proxy',
      NO_PROXY: 'a,b',
      OTHER: 'http://me:other@host',
    });
    const text = 'http://me:p%40ssword@proxy:3128 p@ssword second me:other\n';
    const hidden = 'http://me:…@proxy:3128 … … me:other\n';
    assert.equal(textOf(given, [RUNNING, output(Buffer.from(text)), DONE]), hidden);
    assert.equal(given.hide(text), hidden);
    const step = { ...STEP, state: 'done', name: 'COPY http://me:second@proxy /' } as const;
    assert.deepEqual(given.hideIn({ kind: 'step', step }), [
      { kind: 'step', step: { ...step, name: 'COPY http://me:…@proxy /' } },
    ]);
  });

  it('is hidden if it is in a URL, also if another client gave it, wherever a piece ends', () => {
    const bytes = Buffer.from('é http://me:pä@ss@proxy:3128 a:\nhttps://host/x');
    for (let at = 0; at <= bytes.length; at += 1) {
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)].map((data) => output(data));
      const shown = textOf(new GivenSecrets(), [RUNNING, ...pieces, DONE]);
      assert.equal(shown, 'é http://me:…@proxy:3128 a:\nhttps://host/x', String(at));
    }
    const given = new GivenSecrets();
    const failed = { ...STEP, state: 'failed', error: 'no http://me:pw@p' } as const;
    const [shown] = given.hideIn({ kind: 'step', step: failed });
    assert.equal(shown?.kind === 'step' && shown.step.error, 'no http://me:…@p');
    const warning = { message: 'ENV http://me:pw@p', detail: 'http://me:pw@p' };
    assert.deepEqual(given.hideIn({ kind: 'warning', warning }), [
      { kind: 'warning', warning: { message: 'ENV http://me:…@p', detail: 'http://me:…@p' } },
    ]);
    const transfer = { step: 's', id: 'x', name: 'http://me:pw@p', current: 0, isDone: false };
    assert.deepEqual(given.hideIn({ kind: 'transfer', transfer }), [
      { kind: 'transfer', transfer: { ...transfer, name: 'http://me:…@p' } },
    ]);
    // The step has ended: nothing more comes that could complete it.
    assert.equal(textOf(given, [output(Buffer.from('http://me:p'))]), 'http://me:p');
  });

  it('is hidden encoded, and line by line', async () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANB\nabc\n-----END KEY-----';
    const given = await givenOf(key);
    const encoded = Buffer.from(key).toString('base64');
    const text = `${encoded}\n2: MIIEvQIBADANB\n${key}\nopen sesame\n`;
    assert.equal(textOf(given, [RUNNING, output(Buffer.from(text)), DONE]), '…\n2: …\n…\n…\n');
  });

  it('is hidden also where two of its forms overlap', () => {
    const index = new FormIndex(['abcdefgh', 'xyzabc']);
    assert.equal(index.replaced('-xyzabcdefgh-', '…'), '-…-');
    assert.equal(index.replaced('xyzabcxyzabc', '…'), '……');
    assert.equal(index.startAtEnd('--xyzab', 100), 5);
    assert.equal(index.startAtEnd('--xyzab', 2), 2);
    assert.equal(index.startAtEnd('--xyzabc', 100), 3);
  });

  it('is compared with few of a thousand lines in each of many pieces of output', () => {
    const lines = Array.from({ length: 1000 }, (_, at) => `${at}-line of a key`);
    const index = new FormIndex(lines);
    const pieces = 1000;
    for (let at = 0; at < pieces; at++) {
      const piece = `${at}-line of a door, and more`;
      assert.equal(index.replaced(piece, '…'), piece);
      assert.equal(index.startAtEnd(piece, 8192), 0);
    }
    assert.ok(index.compared <= 20 * pieces, String(index.compared));
    assert.equal(index.replaced(`(${lines[999]})`, '…'), '(…)');
  });

  it('does not hold back what cannot be a secret, and mixes no streams', async () => {
    const given = await givenOf('hunter22');
    const shown = given.hideIn(output(Buffer.from('a hun')));
    assert.deepEqual(shown, [output(Buffer.from('a '))]);
    assert.deepEqual(given.hideIn(output(Buffer.from('ter22'), 'stderr')), [
      output(Buffer.from('ter22'), 'stderr'),
    ]);
    assert.equal(textOf(given, [output(Buffer.from('dred'))]), 'hundred');
    assert.deepEqual(given.hideIn(output(Buffer.from('hunter2'))), []);
    assert.deepEqual(given.hideIn(DONE), [output(Buffer.from('hunter2')), DONE]);
  });

  it('is hidden in the error of a step', async () => {
    const given = await givenOf('hunter22');
    const failed = { ...STEP, state: 'failed', error: 'bad hunter22' } as const;
    const [shown] = given.hideIn({ kind: 'step', step: failed });
    assert.equal(shown?.kind === 'step' && shown.step.error, 'bad …');
  });

  it('leaves every other output as it is', async () => {
    const given = await givenOf('hunter22');
    holds(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 5 }), (pieces) => {
        const events = pieces.map((data) => output(data));
        const shown = [...events, DONE].flatMap((event) => given.hideIn(event));
        const data = shown.flatMap((event) => (event.kind === 'output' ? [event.output.data] : []));
        assert.deepEqual(Buffer.concat(data), Buffer.concat(pieces));
      }),
      100,
    );
  });
});
